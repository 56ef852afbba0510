"""Triton kernels for gather_rows.py.

1. index_kernel: index over (picks, dim)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def index_kernel(index_ptr, table_ptr, out_ptr, dim, picks, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        dim, picks, rows = tl.cast(dim, tl.int64), tl.cast(picks, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < dim*picks
    i_quotient = i // dim
    index = tl.load(index_ptr + i_quotient, mask=i_ok, other=0)
    lt = index < 0
    at = tl.cast(rows, tl.int64)
    add = index + at
    where = tl.where(lt, add, index)
    i_rest = i % dim
    table = tl.load(table_ptr + (i_rest + dim*where), mask=i_ok, other=0.0)
    tl.store(out_ptr + i, table, mask=i_ok)


def kernel_function(table, index):
    rows = table.shape[0]
    dim = table.shape[1]
    picks = index.shape[0]
    table = table.contiguous()
    index = index.contiguous()
    index_1 = torch.empty((picks, dim), dtype=torch.float32, device=table.device)
    index_kernel[(triton.cdiv(dim*picks, 1024),)](
        index, table, index_1, dim, picks, rows, BLOCK=1024, WIDE=dim*picks >= 2**31, num_warps=4, num_stages=2,
    )
    return index_1
