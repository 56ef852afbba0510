"""Plain and slow: a few programs, each with many rows, walk along them in short steps."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_times_vector(a_ptr, b_ptr, out_ptr, M, K, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros([ROWS], dtype=tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        mask = k < K
        a = tl.load(a_ptr + row[:, None] * K + k[None, :], mask=(row < M)[:, None] & mask[None, :], other=0.0)
        b = tl.load(b_ptr + k, mask=mask, other=0.0)
        total += tl.sum(a * b[None, :], axis=1)
    tl.store(out_ptr + row, total, mask=row < M)


def kernel_function(a, b):
    M, K = a.shape
    out = torch.empty((M, 1), device=a.device, dtype=a.dtype)
    rows_times_vector[(triton.cdiv(M, 32),)](a, b, out, M, K, ROWS=32, BLOCK=32, num_warps=4)
    return out
