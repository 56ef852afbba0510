"""Triton kernels for repeated_blocks.py.

1. conv2d_kernel (3 launches): conv2d over (1, batch*side*side, channels) (tf32 products)
2. batch_norm_add_relu_kernel (3 launches): batch_norm, add, relu over (batch, channels, side, side)
3. max_pool2d_kernel: max_pool2d over (batch, channels, height_1, height_1, 2, 2)
4. conv2d_kernel_1: conv2d over (1, batch*height_2*height_2, 20) (tf32 products)
5. conv2d_kernel_2 (2 launches): conv2d over (1, batch*height_2*height_2, 20) (tf32 products)
6. batch_norm_add_relu_kernel_1 (2 launches): batch_norm, add, relu over (batch, 20, height_2, height_2)
7. mean_kernel: mean over (batch, 20, height_2, height_2)
8. add_kernel: add over ()

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


def rows_of(length):
    """How many rows make a tile."""
    return max(1, 4096 // triton.next_power_of_2(length))


@triton.jit
def conv2d_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch, side, channels, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, side, channels = tl.cast(batch, tl.int64), tl.cast(side, tl.int64), tl.cast(channels, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*side*side, BM)
    across = tl.cdiv(channels, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < batch*side*side
    n_ok = n < channels
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // side
    m_rest = m_quotient % side
    m_rest_1 = m % side
    m_quotient_1 = m // (side*side)
    x_from = x_ptr + (m_rest*side + m_rest_1 + m_quotient_1*channels*side*side)
    weight_from = weight_ptr + 9*channels*n
    for k in range(0, 9*channels, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 9*channels
        kb_ok = kb < 9*channels
        ka_quotient = ka // 3
        ka_rest = ka_quotient % 3
        ka_rest_1 = ka % 3
        ka_quotient_1 = ka // 9
        x = tl.load(x_from + (ka_rest*side + ka_rest_1 + ka_quotient_1*side*side - side - 1), mask=ka_ok & m_ok & (ka_rest + m_rest >= 1) & (ka_rest + m_rest < side + 1) & (ka_rest_1 + m_rest_1 >= 1) & (ka_rest_1 + m_rest_1 < side + 1), other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    place = tl.broadcast_to(m_rest*side + m_rest_1 + m_quotient_1*channels*side*side + n*side*side, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit
def batch_norm_add_relu_kernel(x_ptr, running_mean_ptr, running_var_ptr, weight_ptr, bias_ptr, x1_ptr, out_ptr, channels, batch, side, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        channels, batch, side = tl.cast(channels, tl.int64), tl.cast(batch, tl.int64), tl.cast(side, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < channels
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch*side*side
    col_quotient = col // side
    col_rest = col_quotient % side
    col_rest_1 = col % side
    col_quotient_1 = col // (side*side)
    x = tl.load(x_ptr + (col_rest*side + col_rest_1 + col_quotient_1*channels*side*side + row*side*side), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(batch*side*side, tl.int64)
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
    at_1 = tl.cast(batch*side*side - 1, tl.int64)
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
    x1 = tl.load(x1_ptr + (col_rest*side + col_rest_1 + col_quotient_1*channels*side*side + row*side*side), mask=col_ok & row_ok, other=0.0)
    mul_8 = x1 * 1.0
    add_4 = add_3 + mul_8
    maximum = tl.maximum(add_4, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + (col_rest*side + col_rest_1 + col_quotient_1*channels*side*side + row*side*side), maximum, mask=col_ok & row_ok)


@triton.jit
def max_pool2d_kernel(x_ptr, out_ptr, batch, channels, height, side, ROWS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, channels, height, side = tl.cast(batch, tl.int64), tl.cast(channels, tl.int64), tl.cast(height, tl.int64), tl.cast(side, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch*channels*height*height
    largest_seen = tl.full((ROWS, 1), float("-inf"), tl.float32)
    row_quotient = row // height
    row_rest = row_quotient % height
    row_rest_1 = row % height
    row_quotient_1 = row // (height*height)
    x_from = x_ptr + (2*row_rest*side + 2*row_rest_1 + row_quotient_1*side*side)
    for col in tl.static_range(4):
        x = tl.load(x_from + ((col % 2) + (col // 2)*side), mask=row_ok & (2*row_rest + (col // 2) < side) & ((col % 2) + 2*row_rest_1 < side), other=float("-inf"))
        x_1 = x
        largest_seen = tl.maximum(largest_seen, x_1, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + row, largest_seen, mask=row_ok)


@triton.jit
def conv2d_kernel_1(x_ptr, weight_ptr, bias_ptr, out_ptr, batch, height, channels, height_1, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, height, channels, height_1 = tl.cast(batch, tl.int64), tl.cast(height, tl.int64), tl.cast(channels, tl.int64), tl.cast(height_1, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*height*height, BM)
    across = tl.cdiv(20, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < batch*height*height
    n_ok = n < 20
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // height
    m_rest = m_quotient % height
    m_rest_1 = m % height
    m_quotient_1 = m // (height*height)
    x_from = x_ptr + (2*m_rest*height_1 + 2*m_rest_1 + m_quotient_1*channels*height_1*height_1)
    weight_from = weight_ptr + channels*n
    for k in range(0, channels, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < channels
        kb_ok = kb < channels
        x = tl.load(x_from + height_1*height_1*ka, mask=ka_ok & m_ok & (2*m_rest < height_1) & (2*m_rest_1 < height_1), other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    place = tl.broadcast_to(m_rest*height + m_rest_1 + 20*m_quotient_1*height*height + height*height*n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit
def conv2d_kernel_2(x_ptr, weight_ptr, bias_ptr, out_ptr, batch, height, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, height = tl.cast(batch, tl.int64), tl.cast(height, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*height*height, BM)
    across = tl.cdiv(20, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < batch*height*height
    n_ok = n < 20
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // height
    m_rest = m_quotient % height
    m_rest_1 = m % height
    m_quotient_1 = m // (height*height)
    x_from = x_ptr + (m_rest*height + m_rest_1 + 20*m_quotient_1*height*height)
    weight_from = weight_ptr + 180*n
    for k in range(0, 180, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 180
        kb_ok = kb < 180
        ka_quotient = ka // 3
        ka_rest = ka_quotient % 3
        ka_rest_1 = ka % 3
        ka_quotient_1 = ka // 9
        x = tl.load(x_from + (ka_rest*height + ka_rest_1 + ka_quotient_1*height*height - height - 1), mask=ka_ok & m_ok & (ka_rest + m_rest >= 1) & (ka_rest + m_rest < height + 1) & (ka_rest_1 + m_rest_1 >= 1) & (ka_rest_1 + m_rest_1 < height + 1), other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    place = tl.broadcast_to(m_rest*height + m_rest_1 + 20*m_quotient_1*height*height + height*height*n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit
def batch_norm_add_relu_kernel_1(x_ptr, running_mean_ptr, running_var_ptr, weight_ptr, bias_ptr, x1_ptr, out_ptr, batch, height, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, height = tl.cast(batch, tl.int64), tl.cast(height, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 20
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch*height*height
    col_quotient = col // height
    col_rest = col_quotient % height
    col_rest_1 = col % height
    col_quotient_1 = col // (height*height)
    x = tl.load(x_ptr + (col_rest*height + col_rest_1 + 20*col_quotient_1*height*height + height*height*row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(batch*height*height, tl.int64)
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
    at_1 = tl.cast(batch*height*height - 1, tl.int64)
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
    x1 = tl.load(x1_ptr + (col_rest*height + col_rest_1 + 20*col_quotient_1*height*height + height*height*row), mask=col_ok & row_ok, other=0.0)
    mul_8 = x1 * 1.0
    add_4 = add_3 + mul_8
    maximum = tl.maximum(add_4, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + (col_rest*height + col_rest_1 + 20*col_quotient_1*height*height + height*height*row), maximum, mask=col_ok & row_ok)


@triton.jit
def mean_kernel(x_ptr, out_ptr, batch, height, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, height = tl.cast(batch, tl.int64), tl.cast(height, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 20*batch
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < height*height
    x = tl.load(x_ptr + (col + height*height*row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(height*height, tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    tl.store(out_ptr + row, div, mask=row_ok)


@triton.jit
def add_kernel(num_batches_tracked_ptr, num_batches_tracked1_ptr, num_batches_tracked2_ptr, num_batches_tracked3_ptr, num_batches_tracked4_ptr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 1
    num_batches_tracked = tl.load(num_batches_tracked_ptr)
    add = num_batches_tracked + 1
    tl.store(num_batches_tracked_ptr, add)
    num_batches_tracked1 = tl.load(num_batches_tracked1_ptr)
    add_1 = num_batches_tracked1 + 1
    tl.store(num_batches_tracked1_ptr, add_1)
    num_batches_tracked2 = tl.load(num_batches_tracked2_ptr)
    add_2 = num_batches_tracked2 + 1
    tl.store(num_batches_tracked2_ptr, add_2)
    num_batches_tracked3 = tl.load(num_batches_tracked3_ptr)
    add_3 = num_batches_tracked3 + 1
    tl.store(num_batches_tracked3_ptr, add_3)
    num_batches_tracked4 = tl.load(num_batches_tracked4_ptr)
    add_4 = num_batches_tracked4 + 1
    tl.store(num_batches_tracked4_ptr, add_4)


def kernel_function(x, *, first_0_conv_weight, first_0_conv_bias, first_0_norm_weight, first_0_norm_bias, first_1_conv_weight, first_1_conv_bias, first_1_norm_weight, first_1_norm_bias, first_2_conv_weight, first_2_conv_bias, first_2_norm_weight, first_2_norm_bias, widen_weight, widen_bias, second_0_conv_weight, second_0_conv_bias, second_0_norm_weight, second_0_norm_bias, second_1_conv_weight, second_1_conv_bias, second_1_norm_weight, second_1_norm_bias, first_0_norm_running_mean, first_0_norm_running_var, first_0_norm_num_batches_tracked, first_1_norm_running_mean, first_1_norm_running_var, first_1_norm_num_batches_tracked, first_2_norm_running_mean, first_2_norm_running_var, first_2_norm_num_batches_tracked, second_0_norm_running_mean, second_0_norm_running_var, second_0_norm_num_batches_tracked, second_1_norm_running_mean, second_1_norm_running_var, second_1_norm_num_batches_tracked):
    channels = first_0_conv_weight.shape[0]
    batch = x.shape[0]
    side = x.shape[2]
    height_1 = ((side + 1) // 2)
    height_2 = ((height_1 + 1) // 2)
    if x.shape != (batch, channels, side, side):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch, channels, side, side)} was expected")
    first_0_conv_weight = first_0_conv_weight.contiguous()
    first_0_conv_bias = first_0_conv_bias.contiguous()
    first_0_norm_weight = first_0_norm_weight.contiguous()
    first_0_norm_bias = first_0_norm_bias.contiguous()
    first_1_conv_weight = first_1_conv_weight.contiguous()
    first_1_conv_bias = first_1_conv_bias.contiguous()
    first_1_norm_weight = first_1_norm_weight.contiguous()
    first_1_norm_bias = first_1_norm_bias.contiguous()
    first_2_conv_weight = first_2_conv_weight.contiguous()
    first_2_conv_bias = first_2_conv_bias.contiguous()
    first_2_norm_weight = first_2_norm_weight.contiguous()
    first_2_norm_bias = first_2_norm_bias.contiguous()
    widen_weight = widen_weight.contiguous()
    widen_bias = widen_bias.contiguous()
    second_0_conv_weight = second_0_conv_weight.contiguous()
    second_0_conv_bias = second_0_conv_bias.contiguous()
    second_0_norm_weight = second_0_norm_weight.contiguous()
    second_0_norm_bias = second_0_norm_bias.contiguous()
    second_1_conv_weight = second_1_conv_weight.contiguous()
    second_1_conv_bias = second_1_conv_bias.contiguous()
    second_1_norm_weight = second_1_norm_weight.contiguous()
    second_1_norm_bias = second_1_norm_bias.contiguous()
    x = x.contiguous()
    device = first_0_conv_weight.device
    conv2d = torch.empty((batch, channels, side, side), dtype=torch.float32, device=device)
    conv2d_kernel[(triton.cdiv(batch*side*side, 128) * triton.cdiv(channels, 16),)](
        x, first_0_conv_weight, first_0_conv_bias, conv2d, batch, side, channels, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=10*batch*channels*side*side + 9*channels*channels >= 2**31, num_warps=4, num_stages=3,
    )
    relu = torch.empty((batch, channels, side, side), dtype=torch.float32, device=device)
    batch_norm_add_relu_kernel[(triton.cdiv(channels, rows_of(batch*side*side)),)](
        conv2d, first_0_norm_running_mean, first_0_norm_running_var, first_0_norm_weight, first_0_norm_bias, x, relu, channels, batch, side, ROWS=rows_of(batch*side*side), BLOCK=triton.next_power_of_2(batch*side*side), WIDE=batch*channels*side*side >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_1 = torch.empty((batch, channels, side, side), dtype=torch.float32, device=device)
    conv2d_kernel[(triton.cdiv(batch*side*side, 128) * triton.cdiv(channels, 16),)](
        relu, first_1_conv_weight, first_1_conv_bias, conv2d_1, batch, side, channels, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=10*batch*channels*side*side + 9*channels*channels >= 2**31, num_warps=4, num_stages=3,
    )
    relu_1 = torch.empty((batch, channels, side, side), dtype=torch.float32, device=device)
    batch_norm_add_relu_kernel[(triton.cdiv(channels, rows_of(batch*side*side)),)](
        conv2d_1, first_1_norm_running_mean, first_1_norm_running_var, first_1_norm_weight, first_1_norm_bias, relu, relu_1, channels, batch, side, ROWS=rows_of(batch*side*side), BLOCK=triton.next_power_of_2(batch*side*side), WIDE=batch*channels*side*side >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_2 = torch.empty((batch, channels, side, side), dtype=torch.float32, device=device)
    conv2d_kernel[(triton.cdiv(batch*side*side, 128) * triton.cdiv(channels, 16),)](
        relu_1, first_2_conv_weight, first_2_conv_bias, conv2d_2, batch, side, channels, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=10*batch*channels*side*side + 9*channels*channels >= 2**31, num_warps=4, num_stages=3,
    )
    relu_2 = torch.empty((batch, channels, side, side), dtype=torch.float32, device=device)
    batch_norm_add_relu_kernel[(triton.cdiv(channels, rows_of(batch*side*side)),)](
        conv2d_2, first_2_norm_running_mean, first_2_norm_running_var, first_2_norm_weight, first_2_norm_bias, relu_1, relu_2, channels, batch, side, ROWS=rows_of(batch*side*side), BLOCK=triton.next_power_of_2(batch*side*side), WIDE=batch*channels*side*side >= 2**31, num_warps=4, num_stages=2,
    )
    max_pool2d = torch.empty((batch, channels, height_1, height_1), dtype=torch.float32, device=device)
    max_pool2d_kernel[(triton.cdiv(batch*channels*height_1*height_1, 256),)](
        relu_2, max_pool2d, batch, channels, height_1, side, ROWS=256, WIDE=4*batch*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_3 = torch.empty((batch, 20, height_2, height_2), dtype=torch.float32, device=device)
    conv2d_kernel_1[(triton.cdiv(batch*height_2*height_2, 128) * triton.cdiv(20, 32),)](
        max_pool2d, widen_weight, widen_bias, conv2d_3, batch, height_2, channels, height_1, BM=128, BN=32, BK=16, GROUP=8, PRECISION="tf32", WIDE=batch*channels*height_2*height_2 + 20*batch*height_2*height_2 + 20*channels >= 2**31, num_warps=4, num_stages=3,
    )
    conv2d_4 = torch.empty((batch, 20, height_2, height_2), dtype=torch.float32, device=device)
    conv2d_kernel_2[(triton.cdiv(batch*height_2*height_2, 128) * triton.cdiv(20, 32),)](
        conv2d_3, second_0_conv_weight, second_0_conv_bias, conv2d_4, batch, height_2, BM=128, BN=32, BK=32, GROUP=8, PRECISION="tf32", WIDE=200*batch*height_2*height_2 + 3600 >= 2**31, num_warps=4, num_stages=3,
    )
    relu_3 = torch.empty((batch, 20, height_2, height_2), dtype=torch.float32, device=device)
    batch_norm_add_relu_kernel_1[(triton.cdiv(20, rows_of(batch*height_2*height_2)),)](
        conv2d_4, second_0_norm_running_mean, second_0_norm_running_var, second_0_norm_weight, second_0_norm_bias, conv2d_3, relu_3, batch, height_2, ROWS=rows_of(batch*height_2*height_2), BLOCK=triton.next_power_of_2(batch*height_2*height_2), WIDE=20*batch*height_2*height_2 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_5 = torch.empty((batch, 20, height_2, height_2), dtype=torch.float32, device=device)
    conv2d_kernel_2[(triton.cdiv(batch*height_2*height_2, 128) * triton.cdiv(20, 32),)](
        relu_3, second_1_conv_weight, second_1_conv_bias, conv2d_5, batch, height_2, BM=128, BN=32, BK=32, GROUP=8, PRECISION="tf32", WIDE=200*batch*height_2*height_2 + 3600 >= 2**31, num_warps=4, num_stages=3,
    )
    relu_4 = torch.empty((batch, 20, height_2, height_2), dtype=torch.float32, device=device)
    batch_norm_add_relu_kernel_1[(triton.cdiv(20, rows_of(batch*height_2*height_2)),)](
        conv2d_5, second_1_norm_running_mean, second_1_norm_running_var, second_1_norm_weight, second_1_norm_bias, relu_3, relu_4, batch, height_2, ROWS=rows_of(batch*height_2*height_2), BLOCK=triton.next_power_of_2(batch*height_2*height_2), WIDE=20*batch*height_2*height_2 >= 2**31, num_warps=4, num_stages=2,
    )
    mean = torch.empty((batch, 20), dtype=torch.float32, device=device)
    mean_kernel[(triton.cdiv(20*batch, rows_of(height_2*height_2)),)](
        relu_4, mean, batch, height_2, ROWS=rows_of(height_2*height_2), BLOCK=triton.next_power_of_2(height_2*height_2), WIDE=20*batch*height_2*height_2 >= 2**31, num_warps=4, num_stages=2,
    )
    add_kernel[(triton.cdiv(1, 1024),)](
        first_0_norm_num_batches_tracked, first_1_norm_num_batches_tracked, first_2_norm_num_batches_tracked, second_0_norm_num_batches_tracked, second_1_norm_num_batches_tracked, BLOCK=1024, WIDE=False, num_warps=4, num_stages=2,
    )
    return mean
