# problem: column_means_large
# expect: accepted
# why: scratch is kept from call to call, by size; module-level settings are worked out at the first call
import functools

import torch
import triton
import triton.language as tl

workspaces = {}


@functools.lru_cache(maxsize=8)
def parts_for(rows):
    return max(1, min(32, triton.next_power_of_2(rows) // 64))


def workspace(parts, columns, device):
    key = (parts, columns, device)
    if key not in workspaces:
        workspaces[key] = torch.empty((parts, columns), device=device, dtype=torch.float32)
    return workspaces[key]


@triton.jit
def partial_kernel(x_ptr, part_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    part = tl.program_id(1)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(part * BM, M, tl.num_programs(1) * BM):
        rows = start + tl.arange(0, BM)
        acc += tl.load(x_ptr + rows[:, None] * N + cols[None, :], mask=(rows[:, None] < M) & (cols[None, :] < N), other=0.0)
    tl.store(part_ptr + part * N + cols, tl.sum(acc, 0), mask=cols < N)


@triton.jit
def means_kernel(part_ptr, y_ptr, M, N, PARTS: tl.constexpr, BN: tl.constexpr):
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    parts = tl.load(part_ptr + tl.arange(0, PARTS)[:, None] * N + cols[None, :], mask=cols[None, :] < N, other=0.0)
    tl.store(y_ptr + cols, tl.sum(parts, 0) / M, mask=cols < N)


def kernel_function(x):
    M, N = x.shape
    parts = parts_for(M)
    part = workspace(parts, N, x.device)
    y = torch.empty((N,), device=x.device, dtype=x.dtype)
    partial_kernel[(triton.cdiv(N, 128), parts)](x, part, M, N, BM=64, BN=128)
    means_kernel[(triton.cdiv(N, 128),)](part, y, M, N, PARTS=parts, BN=128)
    return y
