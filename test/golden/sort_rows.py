"""Triton kernels for sort_rows.py.

1. sort_kernel: sort over (rows, cols)
2. argsort_kernel: argsort over (cols, rows)
3. msort_kernel: msort over (cols, rows)
4. sort_msort_kernel: sort, msort over (rows, cols)
5. argsort_kernel_1: argsort over (rows, cols)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sort_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    start = tl.program_id(1) * BLOCK
    col = start + tl.arange(0, BLOCK)[:, None]
    col_ok = col < cols
    x = tl.load(x_ptr + (col + cols*row), mask=col_ok, other=0.0)
    rank = tl.zeros((BLOCK, 1), tl.int32)
    for start in range(0, cols, BLOCK):
        other = start + tl.arange(0, BLOCK)[None, :]
        other_ok = other < cols
        x_1 = tl.load(x_ptr + (cols*row + other), mask=other_ok, other=0.0)
        before = (x_1 > x) | ((x_1 != x_1) & (x == x)) | (((x_1 == x) | ((x_1 != x_1) & (x != x))) & (other < col))
        rank += tl.sum((before & other_ok).to(tl.int32), axis=1)[:, None]
    tl.store(out_ptr + cols*row + rank, col.to(tl.int64), mask=col_ok & (rank < cols))


@triton.jit
def argsort_kernel(n_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    start = tl.program_id(1) * BLOCK
    col = start + tl.arange(0, BLOCK)[:, None]
    col_ok = col < rows
    n = tl.load(n_ptr + (col*cols + row), mask=col_ok, other=0)
    rank = tl.zeros((BLOCK, 1), tl.int32)
    for start in range(0, rows, BLOCK):
        other = start + tl.arange(0, BLOCK)[None, :]
        other_ok = other < rows
        n_1 = tl.load(n_ptr + (cols*other + row), mask=other_ok, other=0)
        before = (n_1 < n) | ((n_1 == n) & (other < col))
        rank += tl.sum((before & other_ok).to(tl.int32), axis=1)[:, None]
    tl.store(out_ptr + rank + row*rows, col.to(tl.int64), mask=col_ok & (rank < rows))


@triton.jit
def msort_kernel(x_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    col_ok = col < rows
    x = tl.load(x_ptr + (col*cols + row), mask=col_ok, other=0.0)
    x_1 = tl.where(x == 0.0, 0.0, x)
    bits = x_1.to(tl.int32, bitcast=True)
    bits_1 = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    bits_2 = tl.where(x_1 == x_1, bits_1, 0x7FFFFFFF)
    key = tl.where(col_ok, (bits_2.to(tl.int64) << 32) | col, 0x7FFFFFFFFFFFFFFF)
    next_key = tl.full((), -0x8000000000000000, tl.int64)
    for p in range(rows):
        last = tl.min(tl.where(key >= next_key, key, 0x7FFFFFFFFFFFFFFF), axis=0)
        tl.store(out_ptr + p + row*rows, last & 0xFFFFFFFF)
        next_key = last + 1


@triton.jit
def sort_msort_kernel(x_ptr, x1_ptr, out_ptr, x2_ptr, out1_ptr, cols, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        cols, rows = tl.cast(cols, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < cols*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0)
    i_quotient = i // cols
    x1 = tl.load(x1_ptr + (i_quotient*cols + x), mask=i_ok, other=0.0)
    tl.store(out_ptr + i, x1, mask=i_ok)
    i_rest = i % cols
    x2 = tl.load(x2_ptr + (i_rest*rows + i_quotient), mask=i_ok, other=0)
    x1_1 = tl.load(x1_ptr + (i_rest + cols*x2), mask=i_ok, other=0.0)
    tl.store(out1_ptr + i, x1_1, mask=i_ok)


@triton.jit
def argsort_kernel_1(x_ptr, out_ptr, cols, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        cols, rows = tl.cast(cols, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < cols*rows
    i_rest = i % cols
    i_quotient = i // cols
    x = tl.load(x_ptr + (i_rest*rows + i_quotient), mask=i_ok, other=0)
    tl.store(out_ptr + i, x, mask=i_ok)


def kernel_function(x, n):
    rows = x.shape[0]
    cols = x.shape[1]
    if n.shape != (rows, cols):
        raise ValueError(f"n is {tuple(n.shape)}, where {(rows, cols)} was expected")
    x = x.contiguous()
    n = n.contiguous()
    device = x.device
    sort = torch.empty((rows, cols), dtype=torch.int64, device=device)
    sort_kernel[(rows, triton.cdiv(cols, 64))](
        x, sort, cols, BLOCK=64, num_warps=4, num_stages=2,
    )
    argsort = torch.empty((cols, rows), dtype=torch.int64, device=device)
    argsort_kernel[(cols, triton.cdiv(rows, 64))](
        n, argsort, rows, cols, BLOCK=64, num_warps=4, num_stages=2,
    )
    msort = torch.empty((cols, rows), dtype=torch.int64, device=device)
    msort_kernel[(cols,)](
        x, msort, rows, cols, BLOCK=triton.next_power_of_2(rows), num_warps=4, num_stages=2,
    )
    sort_1 = torch.empty((rows, cols), dtype=torch.float32, device=device)
    msort_1 = torch.empty((rows, cols), dtype=torch.float32, device=device)
    sort_msort_kernel[(triton.cdiv(cols*rows, 1024),)](
        sort, x, sort_1, msort, msort_1, cols, rows, BLOCK=1024, WIDE=cols*rows >= 2**31, num_warps=4, num_stages=2,
    )
    argsort_1 = torch.empty((rows, cols), dtype=torch.int64, device=device)
    argsort_kernel_1[(triton.cdiv(cols*rows, 1024),)](
        argsort, argsort_1, cols, rows, BLOCK=1024, WIDE=cols*rows >= 2**31, num_warps=4, num_stages=2,
    )
    return (sort_1, sort, argsort_1, msort_1,)
