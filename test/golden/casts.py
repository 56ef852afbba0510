"""Triton kernels for casts.py.

1. to_kernel: to over (rows, columns)
2. to_add_mul_kernel: to, add, mul, add, to over (rows, columns)
3. to_kernel_1: to over (rows, columns)
4. to_kernel_2: to over (rows, columns)
5. to_kernel_3: to over (rows, columns)
6. to_kernel_4: to over (rows, columns)
7. to_kernel_5: to over (rows, columns)
8. to_kernel_6: to over (rows, columns)
9. to_kernel_7: to over (rows, columns)
10. gt_kernel: gt over (rows, columns)
11. to_kernel_8: to over (rows, columns)
12. where_kernel: where over (rows, columns)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def to_kernel(x_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    rounded = x.to(tl.bfloat16).to(tl.float32)
    tl.store(out_ptr + i, rounded, mask=i_ok)


@triton.jit
def to_add_mul_kernel(x_ptr, out_ptr, out1_ptr, out2_ptr, x1_ptr, out3_ptr, n_ptr, out4_ptr, out5_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    rounded = x.to(tl.float16).to(tl.float32)
    tl.store(out_ptr + i, rounded, mask=i_ok)
    mul = x * 1.0
    add = rounded + mul
    tl.store(out1_ptr + i, add, mask=i_ok)
    mul_1 = rounded * 2.5
    tl.store(out2_ptr + i, mul_1, mask=i_ok)
    x1 = tl.load(x1_ptr + i, mask=i_ok, other=0.0).to(tl.float32)
    mul_2 = x1 * 1.0
    add_1 = rounded + mul_2
    tl.store(out3_ptr + i, add_1, mask=i_ok)
    n = tl.load(n_ptr + i, mask=i_ok, other=0)
    as_float32 = n.to(tl.float32)
    mul_3 = rounded * 1.0
    add_2 = as_float32 + mul_3
    tl.store(out4_ptr + i, add_2, mask=i_ok)
    mul_4 = rounded * rounded
    tl.store(out5_ptr + i, mul_4, mask=i_ok)


@triton.jit
def to_kernel_1(x_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    as_float64 = x.to(tl.float64)
    tl.store(out_ptr + i, as_float64, mask=i_ok)


@triton.jit
def to_kernel_2(x_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    mul = x * 9.0
    as_int32 = mul.to(tl.int32)
    tl.store(out_ptr + i, as_int32, mask=i_ok)


@triton.jit
def to_kernel_3(x_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    mul = x * 9.0
    as_int16 = mul.to(tl.int16)
    tl.store(out_ptr + i, as_int16, mask=i_ok)


@triton.jit
def to_kernel_4(x_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    flag = x != 0
    tl.store(out_ptr + i, flag, mask=i_ok)


@triton.jit
def to_kernel_5(n_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    n = tl.load(n_ptr + i, mask=i_ok, other=0)
    as_float32 = n.to(tl.float32)
    tl.store(out_ptr + i, as_float32, mask=i_ok)


@triton.jit
def to_kernel_6(n_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    n = tl.load(n_ptr + i, mask=i_ok, other=0)
    rounded = n.to(tl.float16).to(tl.float32)
    tl.store(out_ptr + i, rounded, mask=i_ok)


@triton.jit
def to_kernel_7(n_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    n = tl.load(n_ptr + i, mask=i_ok, other=0)
    as_uint8 = n.to(tl.uint8)
    tl.store(out_ptr + i, as_uint8, mask=i_ok)


@triton.jit
def gt_kernel(n_ptr, x_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    n = tl.load(n_ptr + i, mask=i_ok, other=0)
    as_float32 = n.to(tl.float32)
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    gt = as_float32 > x
    tl.store(out_ptr + i, gt, mask=i_ok)


@triton.jit
def to_kernel_8(x_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    gt = x > 0.0
    as_float32 = gt.to(tl.float32)
    tl.store(out_ptr + i, as_float32, mask=i_ok)


@triton.jit
def where_kernel(x_ptr, n_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*rows
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    gt = x > 0.0
    n = tl.load(n_ptr + i, mask=i_ok, other=0)
    as_float32 = n.to(tl.float32)
    where = tl.where(gt, as_float32, x)
    tl.store(out_ptr + i, where, mask=i_ok)


def kernel_function(x, n):
    rows = x.shape[0]
    columns = x.shape[1]
    if n.shape != (rows, columns):
        raise ValueError(f"n is {tuple(n.shape)}, where {(rows, columns)} was expected")
    x = x.contiguous()
    n = n.contiguous()
    device = x.device
    to = torch.empty((rows, columns), dtype=torch.bfloat16, device=device)
    to_kernel[(triton.cdiv(columns*rows, 1024),)](
        x, to, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_1 = torch.empty((rows, columns), dtype=torch.float16, device=device)
    add = torch.empty((rows, columns), dtype=torch.float32, device=device)
    mul = torch.empty((rows, columns), dtype=torch.float16, device=device)
    add_1 = torch.empty((rows, columns), dtype=torch.float32, device=device)
    add_2 = torch.empty((rows, columns), dtype=torch.float16, device=device)
    to_2 = torch.empty((rows, columns), dtype=torch.float32, device=device)
    to_add_mul_kernel[(triton.cdiv(columns*rows, 1024),)](
        x, to_1, add, mul, to, add_1, n, add_2, to_2, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_3 = torch.empty((rows, columns), dtype=torch.float64, device=device)
    to_kernel_1[(triton.cdiv(columns*rows, 1024),)](
        x, to_3, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_4 = torch.empty((rows, columns), dtype=torch.int32, device=device)
    to_kernel_2[(triton.cdiv(columns*rows, 1024),)](
        x, to_4, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_5 = torch.empty((rows, columns), dtype=torch.int16, device=device)
    to_kernel_3[(triton.cdiv(columns*rows, 1024),)](
        x, to_5, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_6 = torch.empty((rows, columns), dtype=torch.bool, device=device)
    to_kernel_4[(triton.cdiv(columns*rows, 1024),)](
        x, to_6, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_7 = torch.empty((rows, columns), dtype=torch.float32, device=device)
    to_kernel_5[(triton.cdiv(columns*rows, 1024),)](
        n, to_7, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_8 = torch.empty((rows, columns), dtype=torch.float16, device=device)
    to_kernel_6[(triton.cdiv(columns*rows, 1024),)](
        n, to_8, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_9 = torch.empty((rows, columns), dtype=torch.uint8, device=device)
    to_kernel_7[(triton.cdiv(columns*rows, 1024),)](
        n, to_9, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    gt = torch.empty((rows, columns), dtype=torch.bool, device=device)
    gt_kernel[(triton.cdiv(columns*rows, 1024),)](
        n, x, gt, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_10 = torch.empty((rows, columns), dtype=torch.float32, device=device)
    to_kernel_8[(triton.cdiv(columns*rows, 1024),)](
        x, to_10, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    where = torch.empty((rows, columns), dtype=torch.float32, device=device)
    where_kernel[(triton.cdiv(columns*rows, 1024),)](
        x, n, where, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    return (to_1, to, to_3, to_4, to_5, to_6, to_7, to_8, to_9, add, mul, add_1, add_2, to_2, gt, to_10, to_7, to_1, where,)
