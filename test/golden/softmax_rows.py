"""Triton kernels for softmax_rows.py.

1. softmax_kernel: softmax over (rows, columns)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


def rows_of(length):
    """How many rows make a tile."""
    return max(1, 4096 // triton.next_power_of_2(length))


@triton.jit
def softmax_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, columns = tl.cast(rows, tl.int64), tl.cast(columns, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < rows
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < columns
    x = tl.load(x_ptr + (col + columns*row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    sub = x - max_1
    exp = tl.exp(sub)
    x_2 = tl.where(col_ok, exp, 0.0)
    total = tl.sum(x_2, axis=1)[:, None]
    div = exp / total
    tl.store(out_ptr + (col + columns*row), div, mask=col_ok & row_ok)


def kernel_function(x):
    rows = x.shape[0]
    columns = x.shape[1]
    x = x.contiguous()
    softmax = torch.empty((rows, columns), dtype=torch.float32, device=x.device)
    softmax_kernel[(triton.cdiv(rows, rows_of(columns)),)](
        x, softmax, rows, columns, ROWS=rows_of(columns), BLOCK=triton.next_power_of_2(columns), WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    return softmax
