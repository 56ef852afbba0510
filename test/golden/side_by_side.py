"""Triton kernels for side_by_side.py.

1. linear_relu_kernel (3 side by side): linear, relu, linear over (1, batch, hidden) (ieee products)
2. linear_kernel (3 side by side): linear over (1, batch, classes) (ieee products)
3. softmax_kernel (3 side by side): softmax over (batch, classes)
4. conv2d_relu_kernel (2 side by side): conv2d, relu over (1, batch*image_dim2*image_dim3, 4) (tf32 products)
5. amax_kernel: amax over (batch, 4, image_dim2, image_dim3)
6. amax_kernel_1: amax over (batch, other_size_dim1, other_size_dim2, other_size_dim3)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


def rows_of(length):
    """How many rows make a tile."""
    return max(1, 4096 // triton.next_power_of_2(length))


@triton.jit
def linear_relu_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch, hidden, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, hidden, width = tl.cast(batch, tl.int64), tl.cast(hidden, tl.int64), tl.cast(width, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch, BM)
    across = tl.cdiv(hidden, BN)
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
    m_ok = m < batch
    n_ok = n < hidden
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + m*width
    weight_from = weight_ptr + n*width
    for k in range(0, width, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < width
        kb_ok = kb < width
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    maximum = tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL)
    place = tl.broadcast_to(hidden*m + n, maximum.shape)
    tl.store(out_ptr + place, maximum, mask=m_ok & n_ok)


@triton.jit
def linear_relu_kernel_x3(x_ptr, weight_ptr, bias_ptr, out_ptr, weight_ptr_1, bias_ptr_1, out_ptr_1, weight_ptr_2, bias_ptr_2, out_ptr_2, batch, hidden, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    member = tl.program_id(1)
    if member == 1:
        weight_ptr, bias_ptr, out_ptr = weight_ptr_1, bias_ptr_1, out_ptr_1
    elif member == 2:
        weight_ptr, bias_ptr, out_ptr = weight_ptr_2, bias_ptr_2, out_ptr_2
    linear_relu_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch, hidden, width, BM, BN, BK, GROUP, PRECISION, WIDE)


@triton.jit
def linear_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch, classes, hidden, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, classes, hidden = tl.cast(batch, tl.int64), tl.cast(classes, tl.int64), tl.cast(hidden, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch, BM)
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
    m_ok = m < batch
    n_ok = n < classes
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + hidden*m
    weight_from = weight_ptr + hidden*n
    for k in range(0, hidden, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < hidden
        kb_ok = kb < hidden
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    place = tl.broadcast_to(classes*m + n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit
def linear_kernel_x3(x_ptr, weight_ptr, bias_ptr, out_ptr, x_ptr_1, weight_ptr_1, bias_ptr_1, out_ptr_1, x_ptr_2, weight_ptr_2, bias_ptr_2, out_ptr_2, batch, classes, hidden, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    member = tl.program_id(1)
    if member == 1:
        x_ptr, weight_ptr, bias_ptr, out_ptr = x_ptr_1, weight_ptr_1, bias_ptr_1, out_ptr_1
    elif member == 2:
        x_ptr, weight_ptr, bias_ptr, out_ptr = x_ptr_2, weight_ptr_2, bias_ptr_2, out_ptr_2
    linear_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch, classes, hidden, BM, BN, BK, GROUP, PRECISION, WIDE)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, batch, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, classes = tl.cast(batch, tl.int64), tl.cast(classes, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < classes
    x = tl.load(x_ptr + (classes*row + col), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    sub = x - max_1
    exp = tl.exp(sub)
    x_2 = tl.where(col_ok, exp, 0.0)
    total = tl.sum(x_2, axis=1)[:, None]
    div = exp / total
    tl.store(out_ptr + (classes*row + col), div, mask=col_ok & row_ok)


@triton.jit
def softmax_kernel_x3(x_ptr, out_ptr, x_ptr_1, out_ptr_1, x_ptr_2, out_ptr_2, batch, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    member = tl.program_id(1)
    if member == 1:
        x_ptr, out_ptr = x_ptr_1, out_ptr_1
    elif member == 2:
        x_ptr, out_ptr = x_ptr_2, out_ptr_2
    softmax_kernel(x_ptr, out_ptr, batch, classes, ROWS, BLOCK, WIDE)


@triton.jit
def conv2d_relu_kernel(image_ptr, weight_ptr, bias_ptr, out_ptr, batch, extent, extent_1, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, extent, extent_1 = tl.cast(batch, tl.int64), tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*extent*extent_1, BM)
    across = tl.cdiv(4, BN)
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
    m_ok = m < batch*extent*extent_1
    n_ok = n < 4
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // extent_1
    m_rest = m_quotient % extent
    m_rest_1 = m % extent_1
    m_quotient_1 = m // (extent*extent_1)
    image_from = image_ptr + (m_rest*extent_1 + m_rest_1 + 4*m_quotient_1*extent*extent_1)
    weight_from = weight_ptr + 36*n
    for k in range(0, 36, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 36
        kb_ok = kb < 36
        ka_quotient = ka // 3
        ka_rest = ka_quotient % 3
        ka_rest_1 = ka % 3
        ka_quotient_1 = ka // 9
        image = tl.load(image_from + (ka_rest*extent_1 + ka_rest_1 + ka_quotient_1*extent*extent_1 - extent_1 - 1), mask=ka_ok & m_ok & (ka_rest + m_rest >= 1) & (ka_rest + m_rest < extent + 1) & (ka_rest_1 + m_rest_1 >= 1) & (ka_rest_1 + m_rest_1 < extent_1 + 1), other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(image, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    maximum = tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL)
    place = tl.broadcast_to(m_rest*extent_1 + m_rest_1 + 4*m_quotient_1*extent*extent_1 + extent*extent_1*n, maximum.shape)
    tl.store(out_ptr + place, maximum, mask=m_ok & n_ok)


@triton.jit
def conv2d_relu_kernel_x2(image_ptr, weight_ptr, bias_ptr, out_ptr, weight_ptr_1, bias_ptr_1, out_ptr_1, batch, extent, extent_1, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    member = tl.program_id(1)
    if member == 1:
        weight_ptr, bias_ptr, out_ptr = weight_ptr_1, bias_ptr_1, out_ptr_1
    conv2d_relu_kernel(image_ptr, weight_ptr, bias_ptr, out_ptr, batch, extent, extent_1, BM, BN, BK, GROUP, PRECISION, WIDE)


@triton.jit
def amax_kernel(image_ptr, out_ptr, batch, extent, extent_1, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, extent, extent_1 = tl.cast(batch, tl.int64), tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 4*batch
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < extent*extent_1
    image = tl.load(image_ptr + (col + extent*extent_1*row), mask=col_ok & row_ok, other=0.0)
    x = tl.where(col_ok, image, float("-inf"))
    max_1 = tl.reduce(x, 1, largest)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)


@triton.jit
def amax_kernel_1(other_ptr, out_ptr, batch, extent, extent_1, extent_2, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, extent, extent_1, extent_2 = tl.cast(batch, tl.int64), tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64), tl.cast(extent_2, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch*extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < extent_1*extent_2
    other = tl.load(other_ptr + (col + extent_1*extent_2*row), mask=col_ok & row_ok, other=0.0)
    x = tl.where(col_ok, other, float("-inf"))
    max_1 = tl.reduce(x, 1, largest)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)


def kernel_function(x, image, other, *, heads_0_0_weight, heads_0_0_bias, heads_0_2_weight, heads_0_2_bias, heads_1_0_weight, heads_1_0_bias, heads_1_2_weight, heads_1_2_bias, heads_2_0_weight, heads_2_0_bias, heads_2_2_weight, heads_2_2_bias, left_weight, left_bias, right_weight, right_bias):
    hidden = heads_0_0_weight.shape[0]
    width = heads_0_0_weight.shape[1]
    classes = heads_0_2_weight.shape[0]
    batch = x.shape[0]
    image_dim2 = image.shape[2]
    image_dim3 = image.shape[3]
    other_size_dim1 = other.shape[1]
    other_size_dim2 = other.shape[2]
    other_size_dim3 = other.shape[3]
    if x.shape != (batch, width):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch, width)} was expected")
    if image.shape != (batch, 4, image_dim2, image_dim3):
        raise ValueError(f"image is {tuple(image.shape)}, where {(batch, 4, image_dim2, image_dim3)} was expected")
    if other.shape != (batch, other_size_dim1, other_size_dim2, other_size_dim3):
        raise ValueError(f"other is {tuple(other.shape)}, where {(batch, other_size_dim1, other_size_dim2, other_size_dim3)} was expected")
    heads_0_0_weight = heads_0_0_weight.contiguous()
    heads_0_0_bias = heads_0_0_bias.contiguous()
    heads_0_2_weight = heads_0_2_weight.contiguous()
    heads_0_2_bias = heads_0_2_bias.contiguous()
    heads_1_0_weight = heads_1_0_weight.contiguous()
    heads_1_0_bias = heads_1_0_bias.contiguous()
    heads_1_2_weight = heads_1_2_weight.contiguous()
    heads_1_2_bias = heads_1_2_bias.contiguous()
    heads_2_0_weight = heads_2_0_weight.contiguous()
    heads_2_0_bias = heads_2_0_bias.contiguous()
    heads_2_2_weight = heads_2_2_weight.contiguous()
    heads_2_2_bias = heads_2_2_bias.contiguous()
    left_weight = left_weight.contiguous()
    left_bias = left_bias.contiguous()
    right_weight = right_weight.contiguous()
    right_bias = right_bias.contiguous()
    x = x.contiguous()
    image = image.contiguous()
    other = other.contiguous()
    device = heads_0_0_weight.device
    linear = torch.empty((1, batch, hidden), dtype=torch.float32, device=device)
    linear_2 = torch.empty((1, batch, hidden), dtype=torch.float32, device=device)
    linear_4 = torch.empty((1, batch, hidden), dtype=torch.float32, device=device)
    linear_relu_kernel_x3[(triton.cdiv(batch, 16) * triton.cdiv(hidden, 64), 3)](
        x, heads_0_0_weight, heads_0_0_bias, linear, heads_1_0_weight, heads_1_0_bias, linear_2, heads_2_0_weight, heads_2_0_bias, linear_4, batch, hidden, width, BM=16, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=batch*hidden + batch*width + hidden*width >= 2**31, num_warps=4, num_stages=3,
    )
    linear_1 = torch.empty((batch, classes), dtype=torch.float32, device=device)
    linear_3 = torch.empty((batch, classes), dtype=torch.float32, device=device)
    linear_5 = torch.empty((batch, classes), dtype=torch.float32, device=device)
    linear_kernel_x3[(triton.cdiv(batch, 16) * triton.cdiv(classes, 16), 3)](
        linear, heads_0_2_weight, heads_0_2_bias, linear_1, linear_2, heads_1_2_weight, heads_1_2_bias, linear_3, linear_4, heads_2_2_weight, heads_2_2_bias, linear_5, batch, classes, hidden, BM=16, BN=16, BK=32, GROUP=8, PRECISION="ieee", WIDE=batch*classes + batch*hidden + classes*hidden >= 2**31, num_warps=4, num_stages=3,
    )
    softmax = torch.empty((batch, classes), dtype=torch.float32, device=device)
    softmax_1 = torch.empty((batch, classes), dtype=torch.float32, device=device)
    softmax_2 = torch.empty((batch, classes), dtype=torch.float32, device=device)
    softmax_kernel_x3[(triton.cdiv(batch, 8), 3)](
        linear_1, softmax, linear_3, softmax_1, linear_5, softmax_2, batch, classes, ROWS=8, BLOCK=triton.next_power_of_2(classes), WIDE=batch*classes >= 2**31, num_warps=4, num_stages=2,
    )
    relu = torch.empty((batch, 4, image_dim2, image_dim3), dtype=torch.float32, device=device)
    relu_1 = torch.empty((batch, 4, image_dim2, image_dim3), dtype=torch.float32, device=device)
    conv2d_relu_kernel_x2[(triton.cdiv(batch*image_dim2*image_dim3, 128) * triton.cdiv(4, 16), 2)](
        image, left_weight, left_bias, relu, right_weight, right_bias, relu_1, batch, image_dim2, image_dim3, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=40*batch*image_dim2*image_dim3 + 144 >= 2**31, num_warps=4, num_stages=3,
    )
    amax = torch.empty((batch, 4), dtype=torch.float32, device=device)
    amax_kernel[(triton.cdiv(4*batch, rows_of(image_dim2*image_dim3)),)](
        image, amax, batch, image_dim2, image_dim3, ROWS=rows_of(image_dim2*image_dim3), BLOCK=triton.next_power_of_2(image_dim2*image_dim3), WIDE=4*batch*image_dim2*image_dim3 >= 2**31, num_warps=4, num_stages=2,
    )
    amax_1 = torch.empty((batch, other_size_dim1), dtype=torch.float32, device=device)
    amax_kernel_1[(triton.cdiv(batch*other_size_dim1, rows_of(other_size_dim2*other_size_dim3)),)](
        other, amax_1, batch, other_size_dim1, other_size_dim2, other_size_dim3, ROWS=rows_of(other_size_dim2*other_size_dim3), BLOCK=triton.next_power_of_2(other_size_dim2*other_size_dim3), WIDE=batch*other_size_dim1*other_size_dim2*other_size_dim3 >= 2**31, num_warps=4, num_stages=2,
    )
    return (softmax, softmax_1, softmax_2, relu, relu_1, amax, amax_1,)
