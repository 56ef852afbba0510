"""Triton kernels for casts.py.

1. to_gt_where_kernel: to, gt, to, where over (rows, columns)
2. to_add_mul_kernel: to, add, mul, add, to over (rows, columns)
3. to_kernel: to over (rows, columns)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def to_gt_where_kernel(x_ptr, out_ptr, out1_ptr, out2_ptr, n_ptr, out3_ptr, out4_ptr, out5_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
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
    mul = x * 9.0
    as_int16 = mul.to(tl.int16)
    tl.store(out1_ptr + i, as_int16, mask=i_ok)
    flag = x != 0
    tl.store(out2_ptr + i, flag, mask=i_ok)
    n = tl.load(n_ptr + i, mask=i_ok, other=0)
    as_float32 = n.to(tl.float32)
    gt = as_float32 > x
    tl.store(out3_ptr + i, gt, mask=i_ok)
    gt_1 = x > 0.0
    as_float32_1 = gt_1.to(tl.float32)
    tl.store(out4_ptr + i, as_float32_1, mask=i_ok)
    where = tl.where(gt_1, as_float32, x)
    tl.store(out5_ptr + i, where, mask=i_ok)


@triton.jit
def to_add_mul_kernel(x_ptr, out_ptr, out1_ptr, out2_ptr, x1_ptr, out3_ptr, n_ptr, out4_ptr, out5_ptr, out6_ptr, out7_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
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
    as_float64 = x.to(tl.float64)
    tl.store(out6_ptr + i, as_float64, mask=i_ok)
    mul_5 = x * 9.0
    as_int32 = mul_5.to(tl.int32)
    tl.store(out7_ptr + i, as_int32, mask=i_ok)


@triton.jit
def to_kernel(n_ptr, out_ptr, out1_ptr, out2_ptr, columns, rows, BLOCK: tl.constexpr, WIDE: tl.constexpr):
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
    rounded = n.to(tl.float16).to(tl.float32)
    tl.store(out1_ptr + i, rounded, mask=i_ok)
    as_uint8 = n.to(tl.uint8)
    tl.store(out2_ptr + i, as_uint8, mask=i_ok)


def kernel_function(x, n):
    rows = x.shape[0]
    columns = x.shape[1]
    if n.shape != (rows, columns):
        raise ValueError(f"n is {tuple(n.shape)}, where {(rows, columns)} was expected")
    x = x.contiguous()
    n = n.contiguous()
    device = x.device
    to = torch.empty((rows, columns), dtype=torch.bfloat16, device=device)
    to_1 = torch.empty((rows, columns), dtype=torch.int16, device=device)
    to_2 = torch.empty((rows, columns), dtype=torch.bool, device=device)
    gt = torch.empty((rows, columns), dtype=torch.bool, device=device)
    to_3 = torch.empty((rows, columns), dtype=torch.float32, device=device)
    where = torch.empty((rows, columns), dtype=torch.float32, device=device)
    to_gt_where_kernel[(triton.cdiv(columns*rows, 1024),)](
        x, to, to_1, to_2, n, gt, to_3, where, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_4 = torch.empty((rows, columns), dtype=torch.float16, device=device)
    add = torch.empty((rows, columns), dtype=torch.float32, device=device)
    mul = torch.empty((rows, columns), dtype=torch.float16, device=device)
    add_1 = torch.empty((rows, columns), dtype=torch.float32, device=device)
    add_2 = torch.empty((rows, columns), dtype=torch.float16, device=device)
    to_5 = torch.empty((rows, columns), dtype=torch.float32, device=device)
    to_6 = torch.empty((rows, columns), dtype=torch.float64, device=device)
    to_7 = torch.empty((rows, columns), dtype=torch.int32, device=device)
    to_add_mul_kernel[(triton.cdiv(columns*rows, 1024),)](
        x, to_4, add, mul, to, add_1, n, add_2, to_5, to_6, to_7, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    to_8 = torch.empty((rows, columns), dtype=torch.float32, device=device)
    to_9 = torch.empty((rows, columns), dtype=torch.float16, device=device)
    to_10 = torch.empty((rows, columns), dtype=torch.uint8, device=device)
    to_kernel[(triton.cdiv(columns*rows, 1024),)](
        n, to_8, to_9, to_10, columns, rows, BLOCK=1024, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    return (to_4, to, to_6, to_7, to_1, to_2, to_8, to_9, to_10, add, mul, add_1, add_2, to_5, gt, to_3, to_8, to_4, where,)
