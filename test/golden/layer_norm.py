"""Triton kernels for layer_norm.py.

1. layer_norm_kernel: layer_norm over (batch_size, width)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


def rows_of(length):
    """How many rows make a tile."""
    return max(1, 4096 // triton.next_power_of_2(length))


@triton.jit
def layer_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch_size, width, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, width = tl.cast(batch_size, tl.int64), tl.cast(width, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch_size
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < width
    x = tl.load(x_ptr + (col + row*width), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(width, tl.int64)
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
    weight = tl.load(weight_ptr + col, mask=col_ok, other=0.0)
    mul_2 = mul_1 * weight
    bias = tl.load(bias_ptr + col, mask=col_ok, other=0.0)
    add_1 = mul_2 + bias
    tl.store(out_ptr + (col + row*width), add_1, mask=col_ok & row_ok)


def kernel_function(x, *, norm_weight, norm_bias):
    width = norm_weight.shape[0]
    batch_size = x.shape[0]
    if x.shape != (batch_size, width):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch_size, width)} was expected")
    norm_weight = norm_weight.contiguous()
    norm_bias = norm_bias.contiguous()
    x = x.contiguous()
    layer_norm = torch.empty((batch_size, width), dtype=torch.float32, device=norm_weight.device)
    layer_norm_kernel[(triton.cdiv(batch_size, rows_of(width)),)](
        x, norm_weight, norm_bias, layer_norm, batch_size, width, ROWS=rows_of(width), BLOCK=triton.next_power_of_2(width), WIDE=batch_size*width >= 2**31, num_warps=4, num_stages=2,
    )
    return layer_norm
