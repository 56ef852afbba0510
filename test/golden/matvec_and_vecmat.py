"""Triton kernels for matvec_and_vecmat.py.

1. tanh_kernel: tanh over (columns,)
2. matmul_kernel: matmul over (1, rows, 1, columns)
3. matmul_relu_kernel: matmul, relu over (1, 1, columns, rows)
4. linear_sigmoid_kernel: linear, sigmoid over (1, 1, rows, columns)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


def rows_of(length):
    """How many rows make a tile."""
    return max(1, 4096 // triton.next_power_of_2(length))


@triton.jit
def tanh_kernel(v_ptr, out_ptr, columns, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns = tl.cast(columns, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns
    v = tl.load(v_ptr + i, mask=i_ok, other=0.0)
    tanh = libdevice.tanh(v)
    tl.store(out_ptr + i, tanh, mask=i_ok)


@triton.jit
def matmul_kernel(a_ptr, x_ptr, v_ptr, out_ptr, out1_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, columns = tl.cast(rows, tl.int64), tl.cast(columns, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < rows
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < columns
    a = tl.load(a_ptr + (col + columns*row), mask=col_ok & row_ok, other=0.0)
    x = tl.load(x_ptr + col, mask=col_ok, other=0.0)
    mul = a * x
    x_1 = tl.where(col_ok, mul, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    a_1 = tl.load(a_ptr + (col + columns*row), mask=col_ok & row_ok, other=0.0)
    rounded = a_1.to(tl.float16).to(tl.float32)
    v = tl.load(v_ptr + col, mask=col_ok, other=0.0)
    rounded_1 = v.to(tl.float16).to(tl.float32)
    mul_1 = rounded * rounded_1
    x_2 = tl.where(col_ok, mul_1, 0.0)
    total_1 = tl.sum(x_2, axis=1)[:, None]
    tl.store(out_ptr + row, total, mask=row_ok)
    tl.store(out1_ptr + row, total_1, mask=row_ok)


@triton.jit
def matmul_relu_kernel(w_ptr, a_ptr, out_ptr, columns, rows, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < columns
    lane = tl.arange(0, BLOCK)[None, :]
    if WIDE:
        lane = lane.to(tl.int64)
    total = tl.full((ROWS, BLOCK), 0.0, tl.float32)
    a_from = a_ptr + row
    for start in range(0, rows, BLOCK):
        col = start + lane
        col_ok = col < rows
        w = tl.load(w_ptr + col, mask=col_ok, other=0.0)
        a = tl.load(a_from + col*columns, mask=col_ok & row_ok, other=0.0)
        mul = w * a
        x = tl.where(col_ok, mul, 0.0)
        total = total + x
    sum_1 = tl.sum(total, axis=1)[:, None]
    maximum = tl.maximum(sum_1, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + row, maximum, mask=row_ok)


@triton.jit
def linear_sigmoid_kernel(v_ptr, weight_ptr, bias_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, columns = tl.cast(rows, tl.int64), tl.cast(columns, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < rows
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < columns
    v = tl.load(v_ptr + col, mask=col_ok, other=0.0)
    weight = tl.load(weight_ptr + (col + columns*row), mask=col_ok & row_ok, other=0.0)
    mul = v * weight
    x = tl.where(col_ok, mul, 0.0)
    total = tl.sum(x, axis=1)[:, None]
    bias = tl.load(bias_ptr + row, mask=row_ok, other=0.0)
    add = total + bias
    sigmoid = tl.sigmoid(add)
    tl.store(out_ptr + row, sigmoid, mask=row_ok)


def kernel_function(a, v, w, *, layer_weight, layer_bias):
    rows = layer_weight.shape[0]
    columns = layer_weight.shape[1]
    if a.shape != (rows, columns):
        raise ValueError(f"a is {tuple(a.shape)}, where {(rows, columns)} was expected")
    if v.shape != (columns,):
        raise ValueError(f"v is {tuple(v.shape)}, where {(columns,)} was expected")
    if w.shape != (rows,):
        raise ValueError(f"w is {tuple(w.shape)}, where {(rows,)} was expected")
    layer_weight = layer_weight.contiguous()
    layer_bias = layer_bias.contiguous()
    a = a.contiguous()
    v = v.contiguous()
    w = w.contiguous()
    device = layer_weight.device
    tanh = torch.empty((columns,), dtype=torch.float32, device=device)
    tanh_kernel[(triton.cdiv(columns, 1024),)](
        v, tanh, columns, BLOCK=1024, WIDE=columns >= 2**31, num_warps=4, num_stages=2,
    )
    matmul = torch.empty((rows,), dtype=torch.float32, device=device)
    matmul_1 = torch.empty((rows,), dtype=torch.float16, device=device)
    matmul_kernel[(triton.cdiv(rows, rows_of(columns)),)](
        a, tanh, v, matmul, matmul_1, rows, columns, ROWS=rows_of(columns), BLOCK=triton.next_power_of_2(columns), WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    relu = torch.empty((columns,), dtype=torch.float32, device=device)
    matmul_relu_kernel[(triton.cdiv(columns, 64),)](
        w, a, relu, columns, rows, ROWS=64, BLOCK=32, WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    sigmoid = torch.empty((rows,), dtype=torch.float32, device=device)
    linear_sigmoid_kernel[(triton.cdiv(rows, rows_of(columns)),)](
        v, layer_weight, layer_bias, sigmoid, rows, columns, ROWS=rows_of(columns), BLOCK=triton.next_power_of_2(columns), WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    return (matmul, relu, sigmoid, matmul_1,)
