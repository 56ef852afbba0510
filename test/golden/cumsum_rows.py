"""Triton kernels for cumsum_rows.py.

1. cumsum_kernel: cumsum over (batch_size, dim)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, batch_size, dim, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, dim = tl.cast(batch_size, tl.int64), tl.cast(dim, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch_size
    carry = tl.full((ROWS, 1), 0.0, tl.float32)
    for start in range(0, dim, BLOCK):
        step = start + tl.arange(0, BLOCK)[None, :]
        col_ok = step < dim
        col = step
        x = tl.load(x_ptr + (col + dim*row), mask=col_ok & row_ok, other=0.0)
        x_1 = tl.where(col_ok, tl.broadcast_to(x, (ROWS, BLOCK)).to(tl.float32), 0.0)
        so_far = tl.associative_scan(x_1, 1, plus)
        so_far_1 = carry + so_far
        place = tl.broadcast_to(col + dim*row, so_far_1.shape)
        tl.store(out_ptr + place, so_far_1, mask=row_ok & col_ok)
        carry = tl.sum(tl.where(step == start + BLOCK - 1, so_far_1, 0), axis=1)[:, None]


def kernel_function(x):
    batch_size = x.shape[0]
    dim = x.shape[1]
    x = x.contiguous()
    cumsum = torch.empty((batch_size, dim), dtype=torch.float32, device=x.device)
    cumsum_kernel[(triton.cdiv(batch_size, 8),)](
        x, cumsum, batch_size, dim, ROWS=8, BLOCK=256, WIDE=batch_size*dim >= 2**31, num_warps=4, num_stages=2,
    )
    return cumsum
