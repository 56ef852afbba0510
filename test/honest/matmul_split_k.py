# problem: matmul
# expect: accepted
# why: split-K: partial products in a scratch tensor, summed by a second kernel
import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(a_ptr, b_ptr, part_ptr, M, N, K, PER: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    split = tl.program_id(2)
    rk = split * PER + tl.arange(0, PER)
    a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
    b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
    at = split * M * N + rm[:, None] * N + rn[None, :]
    tl.store(part_ptr + at, tl.dot(a, b, input_precision="ieee"), mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def reduce_kernel(part_ptr, c_ptr, n, splits, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for s in range(splits):
        total += tl.load(part_ptr + s * n + offs, mask=offs < n, other=0.0)
    tl.store(c_ptr + offs, total, mask=offs < n)


def kernel_function(a, b):
    (M, K), N = a.shape, b.shape[1]
    splits = triton.cdiv(K, 32)
    parts = a.new_empty((splits, M, N))
    c = a.new_empty((M, N))
    partial_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16), splits)](a, b, parts, M, N, K, PER=32, BM=16, BN=16)
    reduce_kernel[(triton.cdiv(M * N, 512),)](parts, c, M * N, splits, BLOCK=512)
    return c
