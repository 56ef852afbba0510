"""Triton kernels for conv_transpose_channels_last.py.

1. conv_transpose2d_kernel: conv_transpose2d over (x_dim0, parts, part_length)
2. conv_transpose2d_kernel_1 (2 launches): conv_transpose2d over (x_dim0, parts)
3. conv_transpose2d_kernel_2: conv_transpose2d over (x_dim0, x_dim2 + 2, x_dim3 + 2, 64)
4. conv_transpose2d_kernel_3: conv_transpose2d over (96, 4, 256)
5. conv_transpose2d_relu_kernel: conv_transpose2d, relu over (4, x_dim0*x_dim2*x_dim3, 96) (TF32-grade: scaled float16 products)
6. conv_transpose2d_kernel_4: conv_transpose2d over (x_dim0, parts_1, part_length_1)
7. conv_transpose2d_kernel_5: conv_transpose2d over (x_dim0, 2*x_dim2 + 2, width_2 + 2, 96)
8. conv_transpose2d_kernel_6: conv_transpose2d over (64, 1, 576)
9. conv_transpose2d_kernel_7: conv_transpose2d over (1, 2*width_2*x_dim0*x_dim2, 64) (TF32-grade: scaled float16 products)

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
def conv_transpose2d_kernel(x_ptr, out_ptr, parts, extent, part_length, extent_1, extent_2, row_length, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
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
    x = tl.load(x_ptr + (row_rest*part_length + 62*row_quotient*extent_1*extent_2 + col), mask=col_ok & row_ok & (row_rest*part_length + col < row_length), other=0.0)
    abs_1 = tl.abs(x)
    lt = abs_1 < float("inf")
    where = tl.where(lt, abs_1, 0.0)
    inside = tl.where((row_rest*part_length + col < row_length), where, float("-inf"))
    x_1 = tl.where(col_ok, inside, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)


@triton.jit
def conv_transpose2d_kernel_1(x_ptr, out_ptr, out1_ptr, extent, parts, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
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
def conv_transpose2d_kernel_2(x_ptr, x1_ptr, out_ptr, extent, extent_1, BX: tl.constexpr, BY: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    tile = tl.program_id(0)
    if WIDE:
        tile = tile.to(tl.int64)
    across = tl.cdiv(64, BX)
    down = tl.cdiv(extent + 2, BY)
    x = tile % across * BX + tl.arange(0, BX)[None, :]
    y = tile // across % down * BY + tl.arange(0, BY)[:, None]
    x_ok = x < 64
    y_ok = y < extent + 2
    rest = tile // (across * down)
    rest_rest = rest % (extent_1 + 2)
    rest_quotient = rest // (extent_1 + 2)
    x_1 = tl.load(x_ptr + (rest_rest*extent + 62*rest_quotient*extent_1*extent + x*extent_1*extent - extent + y - 1), mask=x_ok & y_ok & (rest_rest >= 1) & (rest_rest < extent_1 + 1) & (y >= 1) & (y < extent + 1) & (x < 62), other=0.0)
    x1 = tl.load(x1_ptr + rest_quotient)
    mul = x_1 * x1
    rounded = mul.to(tl.float16).to(tl.float32)
    tl.store(out_ptr + (128*rest + 64*rest*extent + x + 64*y), rounded, mask=x_ok & y_ok)


@triton.jit
def conv_transpose2d_kernel_3(weight_ptr, out_ptr, out1_ptr, out2_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 96
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < 1024
    col_rest = col % 64
    col_rest_1 = col % 256
    col_quotient = col_rest_1 // 128
    col_quotient_1 = col // 512
    col_rest_2 = (col_quotient_1 + 1) % 2
    col_quotient_2 = col_rest_1 // 64
    col_rest_3 = col_quotient_2 % 2
    col_quotient_3 = col // 256
    col_rest_4 = col_quotient_3 % 2
    col_rest_5 = (col_rest_4 + 1) % 2
    weight = tl.load(weight_ptr + (col_rest_5 - 2*col_rest_3 + 3*col_rest_2 - 6*col_quotient + 864*col_rest + 9*row + 8), mask=col_ok & row_ok & (col_rest < 62) & (col_rest_2 < 2*col_quotient + 1) & (col_rest_5 < 2*col_rest_3 + 1), other=0.0)
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
    tl.store(out2_ptr + (col + 1024*row), rounded, mask=col_ok & row_ok)


@triton.jit
def conv_transpose2d_relu_kernel(x_ptr, x1_ptr, x2_ptr, x3_ptr, x4_ptr, bias_ptr, out_ptr, extent, extent_1, extent_2, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, STEPS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1, extent_2, width = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64), tl.cast(extent_2, tl.int64), tl.cast(width, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(extent*extent_1*extent_2, BM)
    across = tl.cdiv(96, BN)
    b = tile % 4
    tile = tile // 4
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        b = b.to(tl.int64)
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < extent*extent_1*extent_2
    n_ok = n < 96
    acc = tl.zeros((BM, BN), tl.float32)
    b_quotient = b // 2
    b_rest = (b_quotient + 1) % 2
    b_rest_1 = b % 2
    b_rest_2 = (b_rest_1 + 1) % 2
    b_quotient_1 = (b_rest_1 + 1) // 2
    b_quotient_2 = (b_quotient + 1) // 2
    m_quotient = m // (extent_1*extent_2)
    m_quotient_1 = m // extent_2
    x_from = x_ptr + (64*b_quotient_1 + 128*b_quotient_2 + 64*b_quotient_2*extent_2 + 256*m_quotient + 128*m_quotient*extent_2 + 128*m_quotient_1 + 64*m)
    x1_from = x1_ptr + (256*b + 1024*n)
    for i in range(0, 2 * STEPS):
        segment = i // STEPS
        k = i % STEPS * BK
        ka = k + step_a
        kb = k + step_b
        ka_quotient = ka // 64
        x = tl.load(x_from + (ka + 128*segment + 64*segment*extent_2), mask=m_ok & (b_rest < 2*segment + 1) & (b_rest_2 < 2*ka_quotient + 1), other=0.0)
        x1 = tl.load(x1_from + (kb + 128*segment), mask=n_ok, other=0.0)
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
    m_rest = m % extent_2
    m_rest_1 = m_quotient_1 % extent_1
    place = tl.broadcast_to(2*m_rest_1*width + b_rest_1 + b_quotient*width + 2*m_rest + 192*m_quotient*width*extent_1 + 2*n*width*extent_1, maximum.shape)
    tl.store(out_ptr + place, maximum, mask=m_ok & n_ok & (b_rest_1 + 2*m_rest < width))


@triton.jit
def conv_transpose2d_kernel_4(x_ptr, out_ptr, parts, extent, part_length, extent_1, width, row_length, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        parts, extent, part_length, extent_1, width, row_length = tl.cast(parts, tl.int64), tl.cast(extent, tl.int64), tl.cast(part_length, tl.int64), tl.cast(extent_1, tl.int64), tl.cast(width, tl.int64), tl.cast(row_length, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < parts*extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < part_length
    row_rest = row % parts
    row_quotient = row // parts
    x = tl.load(x_ptr + (row_rest*part_length + 192*row_quotient*width*extent_1 + col), mask=col_ok & row_ok & (row_rest*part_length + col < row_length), other=0.0)
    abs_1 = tl.abs(x)
    lt = abs_1 < float("inf")
    where = tl.where(lt, abs_1, 0.0)
    inside = tl.where((row_rest*part_length + col < row_length), where, float("-inf"))
    x_1 = tl.where(col_ok, inside, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)


@triton.jit
def conv_transpose2d_kernel_5(x_ptr, x1_ptr, out_ptr, extent, extent_1, width, BX: tl.constexpr, BY: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1, width = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64), tl.cast(width, tl.int64)
    tile = tl.program_id(0)
    if WIDE:
        tile = tile.to(tl.int64)
    across = tl.cdiv(96, BX)
    down = tl.cdiv(extent, BY)
    x = tile % across * BX + tl.arange(0, BX)[None, :]
    y = tile // across % down * BY + tl.arange(0, BY)[:, None]
    x_ok = x < 96
    y_ok = y < extent
    rest = tile // (across * down)
    rest_rest = rest % (2*extent_1 + 2)
    rest_quotient = rest // (2*extent_1 + 2)
    x_1 = tl.load(x_ptr + (rest_rest*width + 192*rest_quotient*width*extent_1 - width + 2*width*x*extent_1 + y - 2), mask=x_ok & y_ok & (rest_rest >= 1) & (rest_rest < 2*extent_1 + 1) & (y >= 2) & (y < width + 2), other=0.0)
    x1 = tl.load(x1_ptr + rest_quotient)
    mul = x_1 * x1
    rounded = mul.to(tl.float16).to(tl.float32)
    tl.store(out_ptr + (96*extent*rest + x + 96*y), rounded, mask=x_ok & y_ok)


@triton.jit
def conv_transpose2d_kernel_6(weight_ptr, out_ptr, out1_ptr, out2_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 64
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < 576
    col_rest = col % 96
    col_quotient = col // 96
    weight = tl.load(weight_ptr + (384*col_rest - col_quotient + 6*row + 5), mask=col_ok & row_ok, other=0.0)
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
def conv_transpose2d_kernel_7(x_ptr, x1_ptr, x2_ptr, x3_ptr, x4_ptr, out_ptr, width, extent, extent_1, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, STEPS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        width, extent, extent_1 = tl.cast(width, tl.int64), tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(2*width*extent*extent_1, BM)
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
    m_ok = m < 2*width*extent*extent_1
    n_ok = n < 64
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // (2*width*extent_1)
    m_quotient_1 = m // width
    x_from = x_ptr + (384*m_quotient + 192*m_quotient*width + 192*m_quotient_1 + 96*m)
    x1_from = x1_ptr + 576*n
    for i in range(0, 6 * STEPS):
        segment = i // STEPS
        k = i % STEPS * BK
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 96
        kb_ok = kb < 96
        segment_rest = segment % 2
        segment_quotient = segment // 2
        x = tl.load(x_from + (192*segment_rest + 192*segment_quotient + 96*segment_quotient*width + ka), mask=ka_ok & m_ok, other=0.0)
        x1 = tl.load(x1_from + (kb + 96*segment), mask=kb_ok & n_ok, other=0.0)
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
    m_rest = m_quotient_1 % (2*extent_1)
    m_rest_1 = m % width
    place = tl.broadcast_to(m_rest*width + m_rest_1 + 128*m_quotient*width*extent_1 + 2*n*width*extent_1, mul_4.shape)
    tl.store(out_ptr + place, mul_4, mask=m_ok & n_ok)


def kernel_function(x, *, first_weight, first_bias, second_weight):
    x_dim0 = x.shape[0]
    x_dim2 = x.shape[2]
    x_dim3 = x.shape[3]
    width_1 = 2*x_dim3 - 1
    width_2 = width_1 + 2
    parts = min(((62*x_dim2*x_dim3 + 1023) // 1024), 128)
    part_length = 128*((62*x_dim2*x_dim3 - 1) // (128*parts)) + 128
    row_length = 62*x_dim2*x_dim3
    parts_1 = min(((192*width_1*x_dim2 + 1023) // 1024), 128)
    part_length_1 = 128*((192*width_1*x_dim2 - 1) // (128*parts_1)) + 128
    row_length_1 = 192*width_1*x_dim2
    extent_3 = width_2 + 2
    if x.shape != (x_dim0, 62, x_dim2, x_dim3):
        raise ValueError(f"x is {tuple(x.shape)}, where {(x_dim0, 62, x_dim2, x_dim3)} was expected")
    first_weight = first_weight.contiguous()
    first_bias = first_bias.contiguous()
    second_weight = second_weight.contiguous()
    x = x.contiguous()
    device = first_weight.device
    conv_transpose2d = torch.empty((x_dim0, parts), dtype=torch.float32, device=device)
    conv_transpose2d_kernel[(triton.cdiv(parts*x_dim0, rows_of(part_length)),)](
        x, conv_transpose2d, parts, x_dim0, part_length, x_dim2, x_dim3, row_length, ROWS=rows_of(part_length), BLOCK=triton.next_power_of_2(part_length), WIDE=part_length*parts*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    conv_transpose2d_1 = torch.empty((x_dim0, 1, 1, 1), dtype=torch.float32, device=device)
    conv_transpose2d_2 = torch.empty((x_dim0, 1, 1, 1), dtype=torch.float32, device=device)
    conv_transpose2d_kernel_1[(triton.cdiv(x_dim0, 16),)](
        conv_transpose2d, conv_transpose2d_1, conv_transpose2d_2, x_dim0, parts, ROWS=16, BLOCK=triton.next_power_of_2(parts), WIDE=parts*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    conv_transpose2d_3 = torch.empty((x_dim0, x_dim2 + 2, x_dim3 + 2, 64), dtype=torch.float16, device=device)
    conv_transpose2d_kernel_2[(triton.cdiv(64, 64) * triton.cdiv(x_dim3 + 2, 64) * (2*x_dim0 + x_dim0*x_dim2),)](
        x, conv_transpose2d_1, conv_transpose2d_3, x_dim3, x_dim2, BX=64, BY=64, WIDE=256*x_dim0 + 128*x_dim0*x_dim2 + 64*x_dim0*x_dim2*x_dim3 + 128*x_dim0*x_dim3 >= 2**31, num_warps=4, num_stages=2,
    )
    conv_transpose2d_4 = torch.empty((96, 4, 256), dtype=torch.float16, device=device)
    conv_transpose2d_5 = torch.empty((1, 1, 96), dtype=torch.float32, device=device)
    conv_transpose2d_6 = torch.empty((1, 1, 96), dtype=torch.float32, device=device)
    conv_transpose2d_kernel_3[(triton.cdiv(96, 4),)](
        first_weight, conv_transpose2d_5, conv_transpose2d_6, conv_transpose2d_4, ROWS=4, BLOCK=triton.next_power_of_2(1024), WIDE=False, num_warps=4, num_stages=2,
    )
    relu = torch.empty((x_dim0, 96, 2*x_dim2, width_1), dtype=torch.float32, device=device)
    conv_transpose2d_relu_kernel[(4 * triton.cdiv(x_dim0*x_dim2*x_dim3, 128) * triton.cdiv(96, 128),)](
        conv_transpose2d_3, conv_transpose2d_4, conv_transpose2d_2, conv_transpose2d_5, conv_transpose2d_6, first_bias, relu, x_dim0, x_dim2, x_dim3, width_1, BM=128, BN=128, BK=64, GROUP=8, STEPS=2, WIDE=256*x_dim0 + 128*x_dim0*x_dim2 + 448*x_dim0*x_dim2*x_dim3 + 128*x_dim0*x_dim3 + 98304 >= 2**31, num_warps=8, num_stages=3,
    )
    conv_transpose2d_7 = torch.empty((x_dim0, parts_1), dtype=torch.float32, device=device)
    conv_transpose2d_kernel_4[(triton.cdiv(parts_1*x_dim0, rows_of(part_length_1)),)](
        relu, conv_transpose2d_7, parts_1, x_dim0, part_length_1, x_dim2, width_1, row_length_1, ROWS=rows_of(part_length_1), BLOCK=triton.next_power_of_2(part_length_1), WIDE=part_length_1*parts_1*x_dim0 >= 2**31, num_warps=16, num_stages=2,
    )
    conv_transpose2d_8 = torch.empty((x_dim0, 1, 1, 1), dtype=torch.float32, device=device)
    conv_transpose2d_9 = torch.empty((x_dim0, 1, 1, 1), dtype=torch.float32, device=device)
    conv_transpose2d_kernel_1[(triton.cdiv(x_dim0, 16),)](
        conv_transpose2d_7, conv_transpose2d_8, conv_transpose2d_9, x_dim0, parts_1, ROWS=16, BLOCK=triton.next_power_of_2(parts_1), WIDE=parts_1*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    conv_transpose2d_10 = torch.empty((x_dim0, 2*x_dim2 + 2, width_2 + 2, 96), dtype=torch.float16, device=device)
    conv_transpose2d_kernel_5[(triton.cdiv(96, 64) * triton.cdiv(width_2 + 2, 64) * (2*x_dim0 + 2*x_dim0*x_dim2),)](
        relu, conv_transpose2d_8, conv_transpose2d_10, extent_3, x_dim2, width_1, BX=64, BY=64, WIDE=192*width_2*x_dim0 + 192*width_2*x_dim0*x_dim2 + 384*x_dim0 + 384*x_dim0*x_dim2 >= 2**31, num_warps=4, num_stages=2,
    )
    conv_transpose2d_11 = torch.empty((64, 1, 576), dtype=torch.float16, device=device)
    conv_transpose2d_12 = torch.empty((1, 1, 64), dtype=torch.float32, device=device)
    conv_transpose2d_13 = torch.empty((1, 1, 64), dtype=torch.float32, device=device)
    conv_transpose2d_kernel_6[(triton.cdiv(64, 4),)](
        second_weight, conv_transpose2d_12, conv_transpose2d_13, conv_transpose2d_11, ROWS=4, BLOCK=triton.next_power_of_2(576), WIDE=False, num_warps=4, num_stages=2,
    )
    conv_transpose2d_14 = torch.empty((x_dim0, 64, 2*x_dim2, width_2), dtype=torch.float32, device=device)
    conv_transpose2d_kernel_7[(triton.cdiv(2*width_2*x_dim0*x_dim2, 128) * triton.cdiv(64, 64),)](
        conv_transpose2d_10, conv_transpose2d_11, conv_transpose2d_9, conv_transpose2d_12, conv_transpose2d_13, conv_transpose2d_14, width_2, x_dim0, x_dim2, BM=128, BN=64, BK=64, GROUP=8, STEPS=2, WIDE=192*width_2*x_dim0 + 320*width_2*x_dim0*x_dim2 + 384*x_dim0 + 384*x_dim0*x_dim2 + 36864 >= 2**31, num_warps=4, num_stages=3,
    )
    return conv_transpose2d_14
