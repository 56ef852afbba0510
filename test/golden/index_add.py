"""Triton kernels for index_add.py.

1. index_add_kernel: index_add over (16, cols, rows)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def index_add_kernel(index_ptr, src_ptr, out_ptr, cols, rows, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        cols, rows = tl.cast(cols, tl.int64), tl.cast(rows, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 16*cols
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < rows
    index = tl.load(index_ptr + col, mask=col_ok, other=0)
    row_quotient = row // cols
    at = tl.cast(row_quotient, tl.int64)
    eq = index == at
    row_rest = row % cols
    src = tl.load(src_ptr + (row_rest + col*cols), mask=col_ok & row_ok, other=0.0)
    mul = src * 1.0
    where = tl.where(eq, mul, 0.0)
    x = tl.where(col_ok, where, 0.0)
    total = tl.sum(x, axis=1)[:, None]
    add = 0.0 + total
    tl.store(out_ptr + row, add, mask=row_ok)


def kernel_function(src, index):
    rows = src.shape[0]
    cols = src.shape[1]
    if index.shape != (rows,):
        raise ValueError(f"index is {tuple(index.shape)}, where {(rows,)} was expected")
    src = src.contiguous()
    index = index.contiguous()
    index_add = torch.empty((16, cols), dtype=torch.float32, device=src.device)
    index_add_kernel[(triton.cdiv(16*cols, 64),)](
        index, src, index_add, cols, rows, ROWS=64, BLOCK=triton.next_power_of_2(rows), WIDE=16*cols*rows >= 2**31, num_warps=8, num_stages=2,
    )
    return index_add
