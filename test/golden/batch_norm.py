"""Triton kernels for batch_norm.py.

1. batch_norm_kernel: batch_norm over (batch_size, features, height, width)
2. add_kernel: add over ()

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


def rows_of(length):
    """How many rows make a tile."""
    return max(1, 4096 // triton.next_power_of_2(length))


@triton.jit
def batch_norm_kernel(x_ptr, running_mean_ptr, running_var_ptr, weight_ptr, bias_ptr, out_ptr, features, batch_size, height, width, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        features, batch_size, height, width = tl.cast(features, tl.int64), tl.cast(batch_size, tl.int64), tl.cast(height, tl.int64), tl.cast(width, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < features
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch_size*height*width
    col_quotient = col // width
    col_rest = col_quotient % height
    col_rest_1 = col % width
    col_quotient_1 = col // (height*width)
    x = tl.load(x_ptr + (col_rest*width + col_rest_1 + col_quotient_1*features*height*width + height*row*width), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(batch_size*height*width, tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    sub = x - div
    mul = sub * sub
    x_2 = tl.where(col_ok, mul, 0.0)
    total_1 = tl.sum(x_2, axis=1)[:, None]
    running_mean = tl.load(running_mean_ptr + row, mask=row_ok, other=0.0)
    mul_1 = running_mean * 0.9
    mul_2 = div * 0.1
    add = mul_1 + mul_2
    tl.store(running_mean_ptr + row, add, mask=row_ok)
    running_var = tl.load(running_var_ptr + row, mask=row_ok, other=0.0)
    mul_3 = running_var * 0.9
    div_1 = total_1 / as_float32
    at_1 = tl.cast(batch_size*height*width - 1, tl.int64)
    as_float32_1 = at_1.to(tl.float32)
    div_2 = as_float32 / as_float32_1
    mul_4 = div_1 * div_2
    mul_5 = mul_4 * 0.1
    add_1 = mul_3 + mul_5
    tl.store(running_var_ptr + row, add_1, mask=row_ok)
    add_2 = div_1 + 1e-05
    rsqrt = tl.rsqrt(add_2)
    mul_6 = sub * rsqrt
    weight = tl.load(weight_ptr + row, mask=row_ok, other=0.0)
    mul_7 = mul_6 * weight
    bias = tl.load(bias_ptr + row, mask=row_ok, other=0.0)
    add_3 = mul_7 + bias
    tl.store(out_ptr + (col_rest*width + col_rest_1 + col_quotient_1*features*height*width + height*row*width), add_3, mask=col_ok & row_ok)


@triton.jit
def add_kernel(num_batches_tracked_ptr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 1
    num_batches_tracked = tl.load(num_batches_tracked_ptr)
    add = num_batches_tracked + 1
    tl.store(num_batches_tracked_ptr, add)


def kernel_function(x, *, norm_weight, norm_bias, norm_running_mean, norm_running_var, norm_num_batches_tracked):
    features = norm_weight.shape[0]
    batch_size = x.shape[0]
    height = x.shape[2]
    width = x.shape[3]
    if x.shape != (batch_size, features, height, width):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch_size, features, height, width)} was expected")
    norm_weight = norm_weight.contiguous()
    norm_bias = norm_bias.contiguous()
    x = x.contiguous()
    batch_norm = torch.empty((batch_size, features, height, width), dtype=torch.float32, device=norm_weight.device)
    batch_norm_kernel[(triton.cdiv(features, rows_of(batch_size*height*width)),)](
        x, norm_running_mean, norm_running_var, norm_weight, norm_bias, batch_norm, features, batch_size, height, width, ROWS=rows_of(batch_size*height*width), BLOCK=triton.next_power_of_2(batch_size*height*width), WIDE=batch_size*features*height*width >= 2**31, num_warps=4, num_stages=2,
    )
    add_kernel[(triton.cdiv(1, 1024),)](
        norm_num_batches_tracked, BLOCK=1024, WIDE=False, num_warps=4, num_stages=2,
    )
    return batch_norm
