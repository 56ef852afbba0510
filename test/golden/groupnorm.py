"""Triton kernels for groupnorm.py.

1. group_norm_kernel: group_norm over (batch_size, 2, ((channels*height*width) // 2))

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def group_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch_size, channels, height, width, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, channels, height, width = tl.cast(batch_size, tl.int64), tl.cast(channels, tl.int64), tl.cast(height, tl.int64), tl.cast(width, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 2*batch_size
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < ((channels*height*width) // 2)
    x = tl.load(x_ptr + (((channels*height*width) // 2)*row + col), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(((channels*height*width) // 2), tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    sub = x - div
    mul = sub * sub
    x_2 = tl.where(col_ok, mul, 0.0)
    total_1 = tl.sum(x_2, axis=1)[:, None]
    div_1 = total_1 / as_float32
    add = div_1 + 1e-05
    rsqrt = tl.rsqrt(add)
    mul_1 = sub * rsqrt
    col_quotient = (((channels*height*width) // 2)*row + col) // (height*width)
    col_rest = col_quotient % channels
    weight = tl.load(weight_ptr + col_rest, mask=col_ok & row_ok, other=0.0)
    mul_2 = mul_1 * weight
    bias = tl.load(bias_ptr + col_rest, mask=col_ok & row_ok, other=0.0)
    add_1 = mul_2 + bias
    tl.store(out_ptr + (((channels*height*width) // 2)*row + col), add_1, mask=col_ok & row_ok)


def kernel_function(x, *, norm_weight, norm_bias):
    channels = norm_weight.shape[0]
    batch_size = x.shape[0]
    height = x.shape[2]
    width = x.shape[3]
    if x.shape != (batch_size, channels, height, width):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch_size, channels, height, width)} was expected")
    norm_weight = norm_weight.contiguous()
    norm_bias = norm_bias.contiguous()
    x = x.contiguous()
    group_norm = torch.empty((batch_size, channels, height, width), dtype=torch.float32, device=norm_weight.device)
    group_norm_kernel[(triton.cdiv(2*batch_size, 8),)](
        x, norm_weight, norm_bias, group_norm, batch_size, channels, height, width, ROWS=8, BLOCK=triton.next_power_of_2(((channels*height*width) // 2)), WIDE=2*((channels*height*width) // 2)*batch_size >= 2**31, num_warps=4, num_stages=2,
    )
    return group_norm
