"""Triton kernels for small_network.py.

1. conv2d_kernel: conv2d over (1, batch_size*height_1*height_1, channels) (tf32 products)
2. batch_norm_silu_kernel: batch_norm, silu over (batch_size, channels, height_1, height_1)
3. conv2d_kernel_1 (4 launches): conv2d over (1, batch_size*height_1*height_1, channels) (tf32 products)
4. batch_norm_relu_kernel (2 launches): batch_norm, relu over (batch_size, channels, height_1, height_1)
5. batch_norm_kernel (2 launches): batch_norm over (batch_size, channels, height_1, height_1)
6. adaptive_avg_pool2d_kernel (2 launches): adaptive_avg_pool2d over (batch_size, channels, 1, 1, height_1, height_1)
7. conv2d_relu_kernel (2 launches): conv2d, relu over (1, batch_size, (channels // 4)) (tf32 products)
8. conv2d_sigmoid_kernel (2 launches): conv2d, sigmoid over (1, batch_size, channels) (tf32 products)
9. relu_kernel: relu over (batch_size, channels, height_1, height_1)
10. mean_dropout_linear_kernel: mean, dropout, linear over (batch_size, channels, height_1, height_1)
11. linear_kernel: linear over (1, batch_size, classes) (ieee products)
12. add_kernel: add over ()

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch_size, height, channels, side, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, height, channels, side = tl.cast(batch_size, tl.int64), tl.cast(height, tl.int64), tl.cast(channels, tl.int64), tl.cast(side, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size*height*height, BM)
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
    m_ok = m < batch_size*height*height
    n_ok = n < channels
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // height
    m_rest = m_quotient % height
    m_rest_1 = m % height
    m_quotient_1 = m // (height*height)
    x_from = x_ptr + (2*m_rest*side + 2*m_rest_1 + 3*m_quotient_1*side*side)
    weight_from = weight_ptr + 27*n
    for k in range(0, 27, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 27
        kb_ok = kb < 27
        ka_quotient = ka // 3
        ka_rest = ka_quotient % 3
        ka_rest_1 = ka % 3
        ka_quotient_1 = ka // 9
        x = tl.load(x_from + (ka_rest*side + ka_rest_1 + ka_quotient_1*side*side - side - 1), mask=ka_ok & m_ok & (ka_rest + 2*m_rest >= 1) & (ka_rest + 2*m_rest < side + 1) & (ka_rest_1 + 2*m_rest_1 >= 1) & (ka_rest_1 + 2*m_rest_1 < side + 1), other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    place = tl.broadcast_to(m_rest*height + m_rest_1 + m_quotient_1*channels*height*height + height*height*n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit
def batch_norm_silu_kernel(x_ptr, running_mean_ptr, running_var_ptr, weight_ptr, bias_ptr, out_ptr, channels, batch_size, height, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        channels, batch_size, height = tl.cast(channels, tl.int64), tl.cast(batch_size, tl.int64), tl.cast(height, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < channels
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch_size*height*height
    col_quotient = col // height
    col_rest = col_quotient % height
    col_rest_1 = col % height
    col_quotient_1 = col // (height*height)
    x = tl.load(x_ptr + (col_rest*height + col_rest_1 + col_quotient_1*channels*height*height + height*height*row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(batch_size*height*height, tl.int64)
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
    at_1 = tl.cast(batch_size*height*height - 1, tl.int64)
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
    sigmoid = tl.sigmoid(add_3)
    mul_8 = add_3 * sigmoid
    tl.store(out_ptr + (col_rest*height + col_rest_1 + col_quotient_1*channels*height*height + height*height*row), mul_8, mask=col_ok & row_ok)


@triton.jit
def conv2d_kernel_1(x_ptr, weight_ptr, out_ptr, batch_size, height, channels, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, height, channels = tl.cast(batch_size, tl.int64), tl.cast(height, tl.int64), tl.cast(channels, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size*height*height, BM)
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
    m_ok = m < batch_size*height*height
    n_ok = n < channels
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // height
    m_rest = m_quotient % height
    m_rest_1 = m % height
    m_quotient_1 = m // (height*height)
    x_from = x_ptr + (m_rest*height + m_rest_1 + m_quotient_1*channels*height*height)
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
        x = tl.load(x_from + (ka_rest*height + ka_rest_1 + ka_quotient_1*height*height - height - 1), mask=ka_ok & m_ok & (ka_rest + m_rest >= 1) & (ka_rest + m_rest < height + 1) & (ka_rest_1 + m_rest_1 >= 1) & (ka_rest_1 + m_rest_1 < height + 1), other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    place = tl.broadcast_to(m_rest*height + m_rest_1 + m_quotient_1*channels*height*height + height*height*n, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)


@triton.jit
def batch_norm_relu_kernel(x_ptr, running_mean_ptr, running_var_ptr, weight_ptr, bias_ptr, out_ptr, channels, batch_size, height, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        channels, batch_size, height = tl.cast(channels, tl.int64), tl.cast(batch_size, tl.int64), tl.cast(height, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < channels
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch_size*height*height
    col_quotient = col // height
    col_rest = col_quotient % height
    col_rest_1 = col % height
    col_quotient_1 = col // (height*height)
    x = tl.load(x_ptr + (col_rest*height + col_rest_1 + col_quotient_1*channels*height*height + height*height*row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(batch_size*height*height, tl.int64)
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
    at_1 = tl.cast(batch_size*height*height - 1, tl.int64)
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
    maximum = tl.maximum(add_3, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + (col_rest*height + col_rest_1 + col_quotient_1*channels*height*height + height*height*row), maximum, mask=col_ok & row_ok)


@triton.jit
def batch_norm_kernel(x_ptr, running_mean_ptr, running_var_ptr, weight_ptr, bias_ptr, out_ptr, channels, batch_size, height, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        channels, batch_size, height = tl.cast(channels, tl.int64), tl.cast(batch_size, tl.int64), tl.cast(height, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < channels
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch_size*height*height
    col_quotient = col // height
    col_rest = col_quotient % height
    col_rest_1 = col % height
    col_quotient_1 = col // (height*height)
    x = tl.load(x_ptr + (col_rest*height + col_rest_1 + col_quotient_1*channels*height*height + height*height*row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(batch_size*height*height, tl.int64)
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
    at_1 = tl.cast(batch_size*height*height - 1, tl.int64)
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
    tl.store(out_ptr + (col_rest*height + col_rest_1 + col_quotient_1*channels*height*height + height*height*row), add_3, mask=col_ok & row_ok)


@triton.jit
def adaptive_avg_pool2d_kernel(x_ptr, out_ptr, batch_size, channels, height, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, channels, height = tl.cast(batch_size, tl.int64), tl.cast(channels, tl.int64), tl.cast(height, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch_size*channels
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
def conv2d_relu_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch_size, channels, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, channels = tl.cast(batch_size, tl.int64), tl.cast(channels, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size, BM)
    across = tl.cdiv((channels // 4), BN)
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
    m_ok = m < batch_size
    n_ok = n < (channels // 4)
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + channels*m
    weight_from = weight_ptr + channels*n
    for k in range(0, channels, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < channels
        kb_ok = kb < channels
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    maximum = tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL)
    place = tl.broadcast_to((channels // 4)*m + n, maximum.shape)
    tl.store(out_ptr + place, maximum, mask=m_ok & n_ok)


@triton.jit
def conv2d_sigmoid_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch_size, channels, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, channels = tl.cast(batch_size, tl.int64), tl.cast(channels, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size, BM)
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
    m_ok = m < batch_size
    n_ok = n < channels
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + (channels // 4)*m
    weight_from = weight_ptr + (channels // 4)*n
    for k in range(0, (channels // 4), BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < (channels // 4)
        kb_ok = kb < (channels // 4)
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    sigmoid = tl.sigmoid(add)
    place = tl.broadcast_to(channels*m + n, sigmoid.shape)
    tl.store(out_ptr + place, sigmoid, mask=m_ok & n_ok)


@triton.jit
def relu_kernel(x_ptr, x1_ptr, x2_ptr, out_ptr, batch_size, channels, height, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, channels, height = tl.cast(batch_size, tl.int64), tl.cast(channels, tl.int64), tl.cast(height, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < batch_size*channels*height*height
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    x1 = tl.load(x1_ptr + i, mask=i_ok, other=0.0)
    i_quotient = i // (height*height)
    x2 = tl.load(x2_ptr + i_quotient, mask=i_ok, other=0.0)
    mul = x1 * x2
    mul_1 = mul * 1.0
    add = x + mul_1
    maximum = tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + i, maximum, mask=i_ok)


@triton.jit
def mean_dropout_linear_kernel(x_ptr, x1_ptr, x2_ptr, drawn_ptr, out_ptr, batch_size, channels, height, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, channels, height = tl.cast(batch_size, tl.int64), tl.cast(channels, tl.int64), tl.cast(height, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch_size*channels
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < height*height
    x = tl.load(x_ptr + (col + height*height*row), mask=col_ok & row_ok, other=0.0)
    x1 = tl.load(x1_ptr + (col + height*height*row), mask=col_ok & row_ok, other=0.0)
    x2 = tl.load(x2_ptr + row, mask=row_ok, other=0.0)
    mul = x1 * x2
    mul_1 = mul * 1.0
    add = x + mul_1
    maximum = tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL)
    x_1 = tl.where(col_ok, maximum, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(height*height, tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    drawn = tl.load(drawn_ptr + row, mask=row_ok, other=0.0)
    mul_2 = div * drawn
    tl.store(out_ptr + row, mul_2, mask=row_ok)


@triton.jit
def linear_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch_size, classes, channels, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, classes, channels = tl.cast(batch_size, tl.int64), tl.cast(classes, tl.int64), tl.cast(channels, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size, BM)
    across = tl.cdiv(classes, BN)
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
    m_ok = m < batch_size
    n_ok = n < classes
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + channels*m
    weight_from = weight_ptr + channels*n
    for k in range(0, channels, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < channels
        kb_ok = kb < channels
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    place = tl.broadcast_to(classes*m + n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


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


def kernel_function(x, *, stem_0_weight, stem_0_bias, stem_1_weight, stem_1_bias, blocks_0_body_0_weight, blocks_0_body_1_weight, blocks_0_body_1_bias, blocks_0_body_3_weight, blocks_0_body_4_weight, blocks_0_body_4_bias, blocks_0_gate_1_weight, blocks_0_gate_1_bias, blocks_0_gate_3_weight, blocks_0_gate_3_bias, blocks_1_body_0_weight, blocks_1_body_1_weight, blocks_1_body_1_bias, blocks_1_body_3_weight, blocks_1_body_4_weight, blocks_1_body_4_bias, blocks_1_gate_1_weight, blocks_1_gate_1_bias, blocks_1_gate_3_weight, blocks_1_gate_3_bias, head_1_weight, head_1_bias, stem_1_running_mean, stem_1_running_var, stem_1_num_batches_tracked, blocks_0_body_1_running_mean, blocks_0_body_1_running_var, blocks_0_body_1_num_batches_tracked, blocks_0_body_4_running_mean, blocks_0_body_4_running_var, blocks_0_body_4_num_batches_tracked, blocks_1_body_1_running_mean, blocks_1_body_1_running_var, blocks_1_body_1_num_batches_tracked, blocks_1_body_4_running_mean, blocks_1_body_4_running_var, blocks_1_body_4_num_batches_tracked):
    channels = stem_0_weight.shape[0]
    classes = head_1_weight.shape[0]
    batch_size = x.shape[0]
    side = x.shape[2]
    height_1 = ((side + 1) // 2)
    stem_0_weight = stem_0_weight.contiguous()
    stem_0_bias = stem_0_bias.contiguous()
    stem_1_weight = stem_1_weight.contiguous()
    stem_1_bias = stem_1_bias.contiguous()
    blocks_0_body_0_weight = blocks_0_body_0_weight.contiguous()
    blocks_0_body_1_weight = blocks_0_body_1_weight.contiguous()
    blocks_0_body_1_bias = blocks_0_body_1_bias.contiguous()
    blocks_0_body_3_weight = blocks_0_body_3_weight.contiguous()
    blocks_0_body_4_weight = blocks_0_body_4_weight.contiguous()
    blocks_0_body_4_bias = blocks_0_body_4_bias.contiguous()
    blocks_0_gate_1_weight = blocks_0_gate_1_weight.contiguous()
    blocks_0_gate_1_bias = blocks_0_gate_1_bias.contiguous()
    blocks_0_gate_3_weight = blocks_0_gate_3_weight.contiguous()
    blocks_0_gate_3_bias = blocks_0_gate_3_bias.contiguous()
    blocks_1_body_0_weight = blocks_1_body_0_weight.contiguous()
    blocks_1_body_1_weight = blocks_1_body_1_weight.contiguous()
    blocks_1_body_1_bias = blocks_1_body_1_bias.contiguous()
    blocks_1_body_3_weight = blocks_1_body_3_weight.contiguous()
    blocks_1_body_4_weight = blocks_1_body_4_weight.contiguous()
    blocks_1_body_4_bias = blocks_1_body_4_bias.contiguous()
    blocks_1_gate_1_weight = blocks_1_gate_1_weight.contiguous()
    blocks_1_gate_1_bias = blocks_1_gate_1_bias.contiguous()
    blocks_1_gate_3_weight = blocks_1_gate_3_weight.contiguous()
    blocks_1_gate_3_bias = blocks_1_gate_3_bias.contiguous()
    head_1_weight = head_1_weight.contiguous()
    head_1_bias = head_1_bias.contiguous()
    x = x.contiguous()
    device = stem_0_weight.device
    drawn = torch.native_dropout(torch.ones((batch_size, channels), dtype=torch.float32, device=device), 0.2, True)[0]
    conv2d = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    conv2d_kernel[(triton.cdiv(batch_size*height_1*height_1, 128) * triton.cdiv(channels, 16),)](
        x, stem_0_weight, stem_0_bias, conv2d, batch_size, height_1, channels, side, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=batch_size*channels*height_1*height_1 + 27*batch_size*height_1*height_1 + 27*channels >= 2**31, num_warps=4, num_stages=3,
    )
    silu = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    batch_norm_silu_kernel[(triton.cdiv(channels, 16),)](
        conv2d, stem_1_running_mean, stem_1_running_var, stem_1_weight, stem_1_bias, silu, channels, batch_size, height_1, ROWS=16, BLOCK=triton.next_power_of_2(batch_size*height_1*height_1), WIDE=batch_size*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_1 = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    conv2d_kernel_1[(triton.cdiv(batch_size*height_1*height_1, 128) * triton.cdiv(channels, 16),)](
        silu, blocks_0_body_0_weight, conv2d_1, batch_size, height_1, channels, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=10*batch_size*channels*height_1*height_1 + 9*channels*channels >= 2**31, num_warps=4, num_stages=3,
    )
    relu = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    batch_norm_relu_kernel[(triton.cdiv(channels, 16),)](
        conv2d_1, blocks_0_body_1_running_mean, blocks_0_body_1_running_var, blocks_0_body_1_weight, blocks_0_body_1_bias, relu, channels, batch_size, height_1, ROWS=16, BLOCK=triton.next_power_of_2(batch_size*height_1*height_1), WIDE=batch_size*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_2 = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    conv2d_kernel_1[(triton.cdiv(batch_size*height_1*height_1, 128) * triton.cdiv(channels, 16),)](
        relu, blocks_0_body_3_weight, conv2d_2, batch_size, height_1, channels, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=10*batch_size*channels*height_1*height_1 + 9*channels*channels >= 2**31, num_warps=4, num_stages=3,
    )
    batch_norm = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    batch_norm_kernel[(triton.cdiv(channels, 16),)](
        conv2d_2, blocks_0_body_4_running_mean, blocks_0_body_4_running_var, blocks_0_body_4_weight, blocks_0_body_4_bias, batch_norm, channels, batch_size, height_1, ROWS=16, BLOCK=triton.next_power_of_2(batch_size*height_1*height_1), WIDE=batch_size*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    adaptive_avg_pool2d = torch.empty((batch_size, channels, 1, 1), dtype=torch.float32, device=device)
    adaptive_avg_pool2d_kernel[(triton.cdiv(batch_size*channels, 64),)](
        batch_norm, adaptive_avg_pool2d, batch_size, channels, height_1, ROWS=64, BLOCK=triton.next_power_of_2(height_1*height_1), WIDE=batch_size*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    relu_1 = torch.empty((batch_size, (channels // 4), 1, 1), dtype=torch.float32, device=device)
    conv2d_relu_kernel[(triton.cdiv(batch_size, 16) * triton.cdiv((channels // 4), 16),)](
        adaptive_avg_pool2d, blocks_0_gate_1_weight, blocks_0_gate_1_bias, relu_1, batch_size, channels, BM=16, BN=16, BK=16, GROUP=8, PRECISION="tf32", WIDE=(channels // 4)*batch_size + (channels // 4)*channels + batch_size*channels >= 2**31, num_warps=4, num_stages=3,
    )
    sigmoid = torch.empty((batch_size, channels, 1, 1), dtype=torch.float32, device=device)
    conv2d_sigmoid_kernel[(triton.cdiv(batch_size, 16) * triton.cdiv(channels, 16),)](
        relu_1, blocks_0_gate_3_weight, blocks_0_gate_3_bias, sigmoid, batch_size, channels, BM=16, BN=16, BK=16, GROUP=8, PRECISION="tf32", WIDE=(channels // 4)*batch_size + (channels // 4)*channels + batch_size*channels >= 2**31, num_warps=4, num_stages=3,
    )
    relu_2 = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    relu_kernel[(triton.cdiv(batch_size*channels*height_1*height_1, 1024),)](
        silu, batch_norm, sigmoid, relu_2, batch_size, channels, height_1, BLOCK=1024, WIDE=batch_size*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_3 = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    conv2d_kernel_1[(triton.cdiv(batch_size*height_1*height_1, 128) * triton.cdiv(channels, 16),)](
        relu_2, blocks_1_body_0_weight, conv2d_3, batch_size, height_1, channels, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=10*batch_size*channels*height_1*height_1 + 9*channels*channels >= 2**31, num_warps=4, num_stages=3,
    )
    relu_3 = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    batch_norm_relu_kernel[(triton.cdiv(channels, 16),)](
        conv2d_3, blocks_1_body_1_running_mean, blocks_1_body_1_running_var, blocks_1_body_1_weight, blocks_1_body_1_bias, relu_3, channels, batch_size, height_1, ROWS=16, BLOCK=triton.next_power_of_2(batch_size*height_1*height_1), WIDE=batch_size*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_4 = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    conv2d_kernel_1[(triton.cdiv(batch_size*height_1*height_1, 128) * triton.cdiv(channels, 16),)](
        relu_3, blocks_1_body_3_weight, conv2d_4, batch_size, height_1, channels, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=10*batch_size*channels*height_1*height_1 + 9*channels*channels >= 2**31, num_warps=4, num_stages=3,
    )
    batch_norm_1 = torch.empty((batch_size, channels, height_1, height_1), dtype=torch.float32, device=device)
    batch_norm_kernel[(triton.cdiv(channels, 16),)](
        conv2d_4, blocks_1_body_4_running_mean, blocks_1_body_4_running_var, blocks_1_body_4_weight, blocks_1_body_4_bias, batch_norm_1, channels, batch_size, height_1, ROWS=16, BLOCK=triton.next_power_of_2(batch_size*height_1*height_1), WIDE=batch_size*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    adaptive_avg_pool2d_1 = torch.empty((batch_size, channels, 1, 1), dtype=torch.float32, device=device)
    adaptive_avg_pool2d_kernel[(triton.cdiv(batch_size*channels, 64),)](
        batch_norm_1, adaptive_avg_pool2d_1, batch_size, channels, height_1, ROWS=64, BLOCK=triton.next_power_of_2(height_1*height_1), WIDE=batch_size*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    relu_4 = torch.empty((batch_size, (channels // 4), 1, 1), dtype=torch.float32, device=device)
    conv2d_relu_kernel[(triton.cdiv(batch_size, 16) * triton.cdiv((channels // 4), 16),)](
        adaptive_avg_pool2d_1, blocks_1_gate_1_weight, blocks_1_gate_1_bias, relu_4, batch_size, channels, BM=16, BN=16, BK=16, GROUP=8, PRECISION="tf32", WIDE=(channels // 4)*batch_size + (channels // 4)*channels + batch_size*channels >= 2**31, num_warps=4, num_stages=3,
    )
    sigmoid_1 = torch.empty((batch_size, channels, 1, 1), dtype=torch.float32, device=device)
    conv2d_sigmoid_kernel[(triton.cdiv(batch_size, 16) * triton.cdiv(channels, 16),)](
        relu_4, blocks_1_gate_3_weight, blocks_1_gate_3_bias, sigmoid_1, batch_size, channels, BM=16, BN=16, BK=16, GROUP=8, PRECISION="tf32", WIDE=(channels // 4)*batch_size + (channels // 4)*channels + batch_size*channels >= 2**31, num_warps=4, num_stages=3,
    )
    linear = torch.empty((1, batch_size, channels), dtype=torch.float32, device=device)
    mean_dropout_linear_kernel[(triton.cdiv(batch_size*channels, 64),)](
        relu_2, batch_norm_1, sigmoid_1, drawn, linear, batch_size, channels, height_1, ROWS=64, BLOCK=triton.next_power_of_2(height_1*height_1), WIDE=batch_size*channels*height_1*height_1 >= 2**31, num_warps=4, num_stages=2,
    )
    linear_1 = torch.empty((batch_size, classes), dtype=torch.float32, device=device)
    linear_kernel[(triton.cdiv(batch_size, 16) * triton.cdiv(classes, 16),)](
        linear, head_1_weight, head_1_bias, linear_1, batch_size, classes, channels, BM=16, BN=16, BK=16, GROUP=8, PRECISION="ieee", WIDE=batch_size*channels + batch_size*classes + channels*classes >= 2**31, num_warps=4, num_stages=3,
    )
    add_kernel[(triton.cdiv(1, 1024),)](
        stem_1_num_batches_tracked, blocks_0_body_1_num_batches_tracked, blocks_0_body_4_num_batches_tracked, blocks_1_body_1_num_batches_tracked, blocks_1_body_4_num_batches_tracked, BLOCK=1024, WIDE=False, num_warps=4, num_stages=2,
    )
    return linear_1
