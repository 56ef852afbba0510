"""Triton kernels for conv_channels_last.py.

1. conv2d_kernel: conv2d over (x_dim0, parts, part_length)
2. conv2d_kernel_1 (2 launches): conv2d over (x_dim0, parts)
3. conv2d_kernel_2: conv2d over (x_dim0, 2*height_1 + 5, 2*width_1 + 5, 4)
4. conv2d_kernel_3: conv2d over (64, 1, 196)
5. conv2d_relu_kernel: conv2d, relu over (1, height_1*width_1*x_dim0, 64) (TF32-grade: scaled float16 products)
6. conv2d_kernel_4: conv2d over (x_dim0, parts_1, part_length_1)
7. conv2d_kernel_5: conv2d over (x_dim0, height_1 + 2, width_1 + 4, 64)
8. conv2d_kernel_6: conv2d over (96, 1, 576)
9. conv2d_kernel_7: conv2d over (1, height_1*width_1*x_dim0, 96) (TF32-grade: scaled float16 products)

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
def conv2d_kernel(x_ptr, out_ptr, parts, extent, part_length, extent_1, extent_2, row_length, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        parts, extent, part_length, extent_1, extent_2, row_length = tl.cast(parts, tl.int64), tl.cast(extent, tl.int64), tl.cast(part_length, tl.int64), tl.cast(extent_1, tl.int64), tl.cast(extent_2, tl.int64), tl.cast(row_length, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < parts*extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < part_length
    row_rest = row % parts
    row_quotient = row // parts
    x = tl.load(x_ptr + (row_rest*part_length + 3*row_quotient*extent_1*extent_2 + col), mask=col_ok & row_ok & (row_rest*part_length + col < row_length), other=0.0)
    abs_1 = tl.abs(x)
    lt = abs_1 < float("inf")
    where = tl.where(lt, abs_1, 0.0)
    inside = tl.where((row_rest*part_length + col < row_length), where, float("-inf"))
    x_1 = tl.where(col_ok, inside, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)


@triton.jit
def conv2d_kernel_1(x_ptr, out_ptr, out1_ptr, extent, parts, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, parts = tl.cast(extent, tl.int64), tl.cast(parts, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < parts
    x = tl.load(x_ptr + (col + parts*row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    log2 = tl.log2(max_1)
    floor = tl.floor(log2)
    maximum = tl.maximum(floor, (-110.0), propagate_nan=tl.PropagateNan.ALL)
    sub = 14.0 - maximum
    exp2 = tl.exp2(sub)
    tl.store(out_ptr + row, exp2, mask=row_ok)
    tl.store(out1_ptr + row, maximum, mask=row_ok)


@triton.jit
def conv2d_kernel_2(x_ptr, x1_ptr, out_ptr, extent_1, extent_2, extent_3, extent, BX: tl.constexpr, BY: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent_1, extent_2, extent_3, extent = tl.cast(extent_1, tl.int64), tl.cast(extent_2, tl.int64), tl.cast(extent_3, tl.int64), tl.cast(extent, tl.int64)
    tile = tl.program_id(0)
    if WIDE:
        tile = tile.to(tl.int64)
    across = tl.cdiv(4, BX)
    down = tl.cdiv(extent_1, BY)
    x = tile % across * BX + tl.arange(0, BX)[None, :]
    y = tile // across % down * BY + tl.arange(0, BY)[:, None]
    x_ok = x < 4
    y_ok = y < extent_1
    rest = tile // (across * down)
    rest_rest = rest % extent
    rest_quotient = rest // extent
    x_1 = tl.load(x_ptr + (rest_rest*extent_3 + 3*rest_quotient*extent_2*extent_3 + x*extent_2*extent_3 - 3*extent_3 + y - 3), mask=x_ok & y_ok & (rest_rest >= 3) & (rest_rest < extent_2 + 3) & (y >= 3) & (y < extent_3 + 3) & (x < 3), other=0.0)
    x1 = tl.load(x1_ptr + rest_quotient)
    mul = x_1 * x1
    rounded = mul.to(tl.float16).to(tl.float32)
    tl.store(out_ptr + (4*extent_1*rest + x + 4*y), rounded, mask=x_ok & y_ok)


@triton.jit
def conv2d_kernel_3(weight_ptr, out_ptr, out1_ptr, out2_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 64
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < 196
    col_rest = col % 4
    col_quotient = col // 4
    weight = tl.load(weight_ptr + (49*col_rest + col_quotient + 147*row), mask=col_ok & row_ok & (col_rest < 3), other=0.0)
    abs_1 = tl.abs(weight)
    lt = abs_1 < float("inf")
    where = tl.where(lt, abs_1, 0.0)
    x = tl.where(col_ok, where, float("-inf"))
    max_1 = tl.reduce(x, 1, largest)[:, None]
    log2 = tl.log2(max_1)
    floor = tl.floor(log2)
    maximum = tl.maximum(floor, (-110.0), propagate_nan=tl.PropagateNan.ALL)
    sub = maximum - 14.0
    mul = sub * 0.5
    floor_1 = tl.floor(mul)
    exp2 = tl.exp2(floor_1)
    tl.store(out_ptr + row, exp2, mask=row_ok)
    sub_1 = sub - floor_1
    exp2_1 = tl.exp2(sub_1)
    tl.store(out1_ptr + row, exp2_1, mask=row_ok)
    sub_2 = 14.0 - maximum
    exp2_2 = tl.exp2(sub_2)
    mul_1 = weight * exp2_2
    rounded = mul_1.to(tl.float16).to(tl.float32)
    tl.store(out2_ptr + (col + 196*row), rounded, mask=col_ok & row_ok)


@triton.jit
def conv2d_relu_kernel(x_ptr, x1_ptr, x2_ptr, x3_ptr, x4_ptr, bias_ptr, out_ptr, height, width, extent, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, STEPS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        height, width, extent = tl.cast(height, tl.int64), tl.cast(width, tl.int64), tl.cast(extent, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(height*width*extent, BM)
    across = tl.cdiv(64, BN)
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
    m_ok = m < height*width*extent
    n_ok = n < 64
    acc = tl.zeros((BM, BN), tl.float32)
    m_rest = m % width
    m_quotient = m // (height*width)
    m_quotient_1 = m // width
    x_from = x_ptr + (8*m_rest + 100*m_quotient + 40*m_quotient*width + 40*m_quotient_1 + 16*m_quotient_1*width)
    x1_from = x1_ptr + 196*n
    for i in range(0, 7 * STEPS):
        segment = i // STEPS
        k = i % STEPS * BK
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 28
        kb_ok = kb < 28
        x = tl.load(x_from + (ka + 20*segment + 8*segment*width), mask=ka_ok & m_ok, other=0.0)
        x1 = tl.load(x1_from + (kb + 28*segment), mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, x1, acc)
    x2 = tl.load(x2_ptr + m_quotient, mask=m_ok, other=0.0)
    sub = x2 - 14.0
    mul = sub * 0.5
    floor = tl.floor(mul)
    exp2 = tl.exp2(floor)
    mul_1 = acc * exp2
    x3 = tl.load(x3_ptr + n, mask=n_ok, other=0.0)
    mul_2 = mul_1 * x3
    sub_1 = sub - floor
    exp2_1 = tl.exp2(sub_1)
    mul_3 = mul_2 * exp2_1
    x4 = tl.load(x4_ptr + n, mask=n_ok, other=0.0)
    mul_4 = mul_3 * x4
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = mul_4 + bias
    maximum = tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL)
    m_rest_1 = m_quotient_1 % height
    place = tl.broadcast_to(m_rest_1*width + m_rest + 64*m_quotient*height*width + height*n*width, maximum.shape)
    tl.store(out_ptr + place, maximum, mask=m_ok & n_ok)


@triton.jit
def conv2d_kernel_4(x_ptr, out_ptr, parts, extent, part_length, height, width, row_length, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        parts, extent, part_length, height, width, row_length = tl.cast(parts, tl.int64), tl.cast(extent, tl.int64), tl.cast(part_length, tl.int64), tl.cast(height, tl.int64), tl.cast(width, tl.int64), tl.cast(row_length, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < parts*extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < part_length
    row_rest = row % parts
    row_quotient = row // parts
    x = tl.load(x_ptr + (row_rest*part_length + 64*row_quotient*height*width + col), mask=col_ok & row_ok & (row_rest*part_length + col < row_length), other=0.0)
    abs_1 = tl.abs(x)
    lt = abs_1 < float("inf")
    where = tl.where(lt, abs_1, 0.0)
    inside = tl.where((row_rest*part_length + col < row_length), where, float("-inf"))
    x_1 = tl.where(col_ok, inside, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)


@triton.jit
def conv2d_kernel_5(x_ptr, x1_ptr, out_ptr, width, height, BX: tl.constexpr, BY: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        width, height = tl.cast(width, tl.int64), tl.cast(height, tl.int64)
    tile = tl.program_id(0)
    if WIDE:
        tile = tile.to(tl.int64)
    across = tl.cdiv(64, BX)
    down = tl.cdiv(width + 4, BY)
    x = tile % across * BX + tl.arange(0, BX)[None, :]
    y = tile // across % down * BY + tl.arange(0, BY)[:, None]
    x_ok = x < 64
    y_ok = y < width + 4
    rest = tile // (across * down)
    rest_rest = rest % (height + 2)
    rest_quotient = rest // (height + 2)
    x_1 = tl.load(x_ptr + (rest_rest*width + 64*rest_quotient*height*width + height*width*x - width + y - 2), mask=x_ok & y_ok & (rest_rest >= 1) & (rest_rest < height + 1) & (y >= 2) & (y < width + 2), other=0.0)
    x1 = tl.load(x1_ptr + rest_quotient)
    mul = x_1 * x1
    rounded = mul.to(tl.float16).to(tl.float32)
    tl.store(out_ptr + (256*rest + 64*rest*width + x + 64*y), rounded, mask=x_ok & y_ok)


@triton.jit
def conv2d_kernel_6(weight_ptr, out_ptr, out1_ptr, out2_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 96
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < 576
    col_rest = col % 64
    col_quotient = col // 64
    weight = tl.load(weight_ptr + (9*col_rest + col_quotient + 576*row), mask=col_ok & row_ok, other=0.0)
    abs_1 = tl.abs(weight)
    lt = abs_1 < float("inf")
    where = tl.where(lt, abs_1, 0.0)
    x = tl.where(col_ok, where, float("-inf"))
    max_1 = tl.reduce(x, 1, largest)[:, None]
    log2 = tl.log2(max_1)
    floor = tl.floor(log2)
    maximum = tl.maximum(floor, (-110.0), propagate_nan=tl.PropagateNan.ALL)
    sub = maximum - 14.0
    mul = sub * 0.5
    floor_1 = tl.floor(mul)
    exp2 = tl.exp2(floor_1)
    tl.store(out_ptr + row, exp2, mask=row_ok)
    sub_1 = sub - floor_1
    exp2_1 = tl.exp2(sub_1)
    tl.store(out1_ptr + row, exp2_1, mask=row_ok)
    sub_2 = 14.0 - maximum
    exp2_2 = tl.exp2(sub_2)
    mul_1 = weight * exp2_2
    rounded = mul_1.to(tl.float16).to(tl.float32)
    tl.store(out2_ptr + (col + 576*row), rounded, mask=col_ok & row_ok)


@triton.jit
def conv2d_kernel_7(x_ptr, x1_ptr, x2_ptr, x3_ptr, x4_ptr, out_ptr, height, width, extent, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, STEPS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        height, width, extent = tl.cast(height, tl.int64), tl.cast(width, tl.int64), tl.cast(extent, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(height*width*extent, BM)
    across = tl.cdiv(96, BN)
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
    m_ok = m < height*width*extent
    n_ok = n < 96
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // (height*width)
    m_quotient_1 = m // width
    x_from = x_ptr + (512*m_quotient + 128*m_quotient*width + 256*m_quotient_1 + 64*m)
    x1_from = x1_ptr + 576*n
    for i in range(0, 9 * STEPS):
        segment = i // STEPS
        k = i % STEPS * BK
        ka = k + step_a
        kb = k + step_b
        segment_rest = segment % 3
        segment_quotient = segment // 3
        x = tl.load(x_from + (128*segment_rest + 256*segment_quotient + 64*segment_quotient*width + ka), mask=m_ok, other=0.0)
        x1 = tl.load(x1_from + (kb + 64*segment), mask=n_ok, other=0.0)
        acc = tl.dot(x, x1, acc)
    x2 = tl.load(x2_ptr + m_quotient, mask=m_ok, other=0.0)
    sub = x2 - 14.0
    mul = sub * 0.5
    floor = tl.floor(mul)
    exp2 = tl.exp2(floor)
    mul_1 = acc * exp2
    x3 = tl.load(x3_ptr + n, mask=n_ok, other=0.0)
    mul_2 = mul_1 * x3
    sub_1 = sub - floor
    exp2_1 = tl.exp2(sub_1)
    mul_3 = mul_2 * exp2_1
    x4 = tl.load(x4_ptr + n, mask=n_ok, other=0.0)
    mul_4 = mul_3 * x4
    m_rest = m_quotient_1 % height
    m_rest_1 = m % width
    place = tl.broadcast_to(m_rest*width + m_rest_1 + 96*m_quotient*height*width + height*n*width, mul_4.shape)
    tl.store(out_ptr + place, mul_4, mask=m_ok & n_ok)


def kernel_function(x, *, first_weight, first_bias, second_weight):
    x_dim0 = x.shape[0]
    x_dim2 = x.shape[2]
    x_dim3 = x.shape[3]
    height_1 = ((x_dim2 + 1) // 2)
    width_1 = ((x_dim3 + 1) // 2)
    parts = min(((3*x_dim2*x_dim3 + 1023) // 1024), 32)
    part_length = 128*((3*x_dim2*x_dim3 - 1) // (128*parts)) + 128
    row_length = 3*x_dim2*x_dim3
    parts_1 = min(((64*height_1*width_1 + 1023) // 1024), 32)
    part_length_1 = 128*((64*height_1*width_1 - 1) // (128*parts_1)) + 128
    row_length_1 = 64*height_1*width_1
    extent = 2*height_1 + 5
    extent_1 = 2*width_1 + 5
    if x.shape != (x_dim0, 3, x_dim2, x_dim3):
        raise ValueError(f"x is {tuple(x.shape)}, where {(x_dim0, 3, x_dim2, x_dim3)} was expected")
    first_weight = first_weight.contiguous()
    first_bias = first_bias.contiguous()
    second_weight = second_weight.contiguous()
    x = x.contiguous()
    device = first_weight.device
    conv2d = torch.empty((x_dim0, parts), dtype=torch.float32, device=device)
    conv2d_kernel[(triton.cdiv(parts*x_dim0, rows_of(part_length)),)](
        x, conv2d, parts, x_dim0, part_length, x_dim2, x_dim3, row_length, ROWS=rows_of(part_length), BLOCK=triton.next_power_of_2(part_length), WIDE=part_length*parts*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_1 = torch.empty((x_dim0, 1, 1, 1), dtype=torch.float32, device=device)
    conv2d_2 = torch.empty((x_dim0, 1, 1, 1), dtype=torch.float32, device=device)
    conv2d_kernel_1[(triton.cdiv(x_dim0, 64),)](
        conv2d, conv2d_1, conv2d_2, x_dim0, parts, ROWS=64, BLOCK=triton.next_power_of_2(parts), WIDE=parts*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_3 = torch.empty((x_dim0, 2*height_1 + 5, 2*width_1 + 5, 4), dtype=torch.float16, device=device)
    conv2d_kernel_2[(triton.cdiv(4, 4) * triton.cdiv(2*width_1 + 5, 128) * (2*height_1*x_dim0 + 5*x_dim0),)](
        x, conv2d_1, conv2d_3, extent_1, x_dim2, x_dim3, extent, BX=4, BY=128, WIDE=16*height_1*width_1*x_dim0 + 40*height_1*x_dim0 + 40*width_1*x_dim0 + 100*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_4 = torch.empty((64, 1, 196), dtype=torch.float16, device=device)
    conv2d_5 = torch.empty((1, 1, 64), dtype=torch.float32, device=device)
    conv2d_6 = torch.empty((1, 1, 64), dtype=torch.float32, device=device)
    conv2d_kernel_3[(triton.cdiv(64, 16),)](
        first_weight, conv2d_5, conv2d_6, conv2d_4, ROWS=16, BLOCK=triton.next_power_of_2(196), WIDE=False, num_warps=4, num_stages=2,
    )
    relu = torch.empty((x_dim0, 64, height_1, width_1), dtype=torch.float32, device=device)
    conv2d_relu_kernel[(triton.cdiv(height_1*width_1*x_dim0, 128) * triton.cdiv(64, 64),)](
        conv2d_3, conv2d_4, conv2d_2, conv2d_5, conv2d_6, first_bias, relu, height_1, width_1, x_dim0, BM=128, BN=64, BK=32, GROUP=8, STEPS=1, WIDE=80*height_1*width_1*x_dim0 + 40*height_1*x_dim0 + 40*width_1*x_dim0 + 100*x_dim0 + 12544 >= 2**31, num_warps=4, num_stages=4,
    )
    conv2d_7 = torch.empty((x_dim0, parts_1), dtype=torch.float32, device=device)
    conv2d_kernel_4[(triton.cdiv(parts_1*x_dim0, rows_of(part_length_1)),)](
        relu, conv2d_7, parts_1, x_dim0, part_length_1, height_1, width_1, row_length_1, ROWS=rows_of(part_length_1), BLOCK=triton.next_power_of_2(part_length_1), WIDE=part_length_1*parts_1*x_dim0 >= 2**31, num_warps=8, num_stages=2,
    )
    conv2d_8 = torch.empty((x_dim0, 1, 1, 1), dtype=torch.float32, device=device)
    conv2d_9 = torch.empty((x_dim0, 1, 1, 1), dtype=torch.float32, device=device)
    conv2d_kernel_1[(triton.cdiv(x_dim0, 64),)](
        conv2d_7, conv2d_8, conv2d_9, x_dim0, parts_1, ROWS=64, BLOCK=triton.next_power_of_2(parts_1), WIDE=parts_1*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_10 = torch.empty((x_dim0, height_1 + 2, width_1 + 4, 64), dtype=torch.float16, device=device)
    conv2d_kernel_5[(triton.cdiv(64, 64) * triton.cdiv(width_1 + 4, 64) * (height_1*x_dim0 + 2*x_dim0),)](
        relu, conv2d_8, conv2d_10, width_1, height_1, BX=64, BY=64, WIDE=64*height_1*width_1*x_dim0 + 256*height_1*x_dim0 + 128*width_1*x_dim0 + 512*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    conv2d_11 = torch.empty((96, 1, 576), dtype=torch.float16, device=device)
    conv2d_12 = torch.empty((1, 1, 96), dtype=torch.float32, device=device)
    conv2d_13 = torch.empty((1, 1, 96), dtype=torch.float32, device=device)
    conv2d_kernel_6[(triton.cdiv(96, 4),)](
        second_weight, conv2d_12, conv2d_13, conv2d_11, ROWS=4, BLOCK=triton.next_power_of_2(576), WIDE=False, num_warps=4, num_stages=2,
    )
    conv2d_14 = torch.empty((x_dim0, 96, height_1, width_1), dtype=torch.float32, device=device)
    conv2d_kernel_7[(triton.cdiv(height_1*width_1*x_dim0, 128) * triton.cdiv(96, 128),)](
        conv2d_10, conv2d_11, conv2d_9, conv2d_12, conv2d_13, conv2d_14, height_1, width_1, x_dim0, BM=128, BN=128, BK=64, GROUP=8, STEPS=1, WIDE=160*height_1*width_1*x_dim0 + 256*height_1*x_dim0 + 128*width_1*x_dim0 + 512*x_dim0 + 55296 >= 2**31, num_warps=4, num_stages=3,
    )
    return conv2d_14
