"""Triton kernels for topk_rows.py.

1. topk_kernel: topk over (rows, 4)
2. topk_kernel_1: topk over (rows, 4)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def topk_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    col_ok = col < cols
    x = tl.load(x_ptr + (col + cols*row), mask=col_ok, other=0.0)
    x_1 = tl.where(x == 0.0, 0.0, x)
    bits = x_1.to(tl.int32, bitcast=True)
    bits_1 = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    bits_2 = tl.where(x_1 == x_1, bits_1, 0x7FFFFFFF)
    key = tl.where(col_ok, ((~bits_2).to(tl.int64) << 32) | col, 0x7FFFFFFFFFFFFFFF)
    next_key = tl.full((), -0x8000000000000000, tl.int64)
    for p in range(4):
        last = tl.min(tl.where(key >= next_key, key, 0x7FFFFFFFFFFFFFFF), axis=0)
        tl.store(out_ptr + p + 4*row, last & 0xFFFFFFFF)
        next_key = last + 1


@triton.jit
def topk_kernel_1(x_ptr, x1_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, cols = tl.cast(rows, tl.int64), tl.cast(cols, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 4*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0)
    i_quotient = i // 4
    x1 = tl.load(x1_ptr + (i_quotient*cols + x), mask=i_ok, other=0.0)
    tl.store(out_ptr + i, x1, mask=i_ok)


def kernel_function(x):
    rows = x.shape[0]
    cols = x.shape[1]
    x = x.contiguous()
    topk = torch.empty((rows, 4), dtype=torch.int64, device=x.device)
    topk_kernel[(rows,)](
        x, topk, cols, BLOCK=triton.next_power_of_2(cols), num_warps=4, num_stages=2,
    )
    topk_1 = torch.empty((rows, 4), dtype=torch.float32, device=x.device)
    topk_kernel_1[(triton.cdiv(4*rows, 1024),)](
        topk, x, topk_1, rows, cols, BLOCK=1024, WIDE=4*rows >= 2**31, num_warps=4, num_stages=2,
    )
    return (topk_1, topk,)
