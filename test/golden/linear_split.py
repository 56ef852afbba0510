"""Triton kernels for linear_split.py.

1. linear_kernel (2 launches): linear over (1, x_dim0, layer_weight_dim0)
2. linear_kernel_1: linear over (1, layer_weight_dim0, layer_weight_dim0)
3. linear_relu_matmul_kernel: linear, relu, matmul over (1, x_dim0, layer_weight_dim0) (float32-grade: three float16 products)
4. matmul_kernel: matmul over (1, parts, part_length, y_dim1)
5. matmul_kernel_1: matmul over (1, parts, y_dim1)
6. matmul_kernel_2: matmul over (1, layer_weight_dim0, y_dim1)
7. matmul_kernel_3: matmul over (1, x_dim0, y_dim1) (float32-grade: three float16 products)

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
def linear_kernel(x_ptr, out_ptr, out1_ptr, out2_ptr, out3_ptr, extent, extent_1, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < extent_1
    x = tl.load(x_ptr + (col + extent_1*row), mask=col_ok & row_ok, other=0.0)
    abs_1 = tl.abs(x)
    lt = abs_1 < float("inf")
    where = tl.where(lt, abs_1, 0.0)
    x_1 = tl.where(col_ok, where, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
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
    mul_1 = x * exp2_2
    rounded = mul_1.to(tl.float16).to(tl.float32)
    tl.store(out2_ptr + (col + extent_1*row), rounded, mask=col_ok & row_ok)
    abs_2 = tl.abs(rounded)
    lt_1 = abs_2 < float("inf")
    sub_3 = mul_1 - rounded
    where_1 = tl.where(lt_1, sub_3, 0.0)
    rounded_1 = where_1.to(tl.float16).to(tl.float32)
    tl.store(out3_ptr + (col + extent_1*row), rounded_1, mask=col_ok & row_ok)


@triton.jit
def linear_kernel_1(weight_ptr, out_ptr, out1_ptr, out2_ptr, out3_ptr, extent, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent = tl.cast(extent, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < extent
    weight = tl.load(weight_ptr + (col + extent*row), mask=col_ok & row_ok, other=0.0)
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
    tl.store(out2_ptr + (col + extent*row), rounded, mask=col_ok & row_ok)
    abs_2 = tl.abs(rounded)
    lt_1 = abs_2 < float("inf")
    sub_3 = mul_1 - rounded
    where_1 = tl.where(lt_1, sub_3, 0.0)
    rounded_1 = where_1.to(tl.float16).to(tl.float32)
    tl.store(out3_ptr + (col + extent*row), rounded_1, mask=col_ok & row_ok)


@triton.jit
def linear_relu_matmul_kernel(x_ptr, x1_ptr, x2_ptr, x3_ptr, x4_ptr, x5_ptr, x6_ptr, x7_ptr, bias_ptr, out_ptr, extent, extent_1, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, CHUNK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(extent, BM)
    across = tl.cdiv(extent_1, BN)
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
    m_ok = m < extent
    n_ok = n < extent_1
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + extent_1*m
    x1_from = x1_ptr + extent_1*n
    x2_from = x2_ptr + extent_1*m
    x3_from = x3_ptr + extent_1*n
    cross = tl.zeros((BM, BN), tl.float32)
    for chunk in range(0, extent_1, CHUNK):
        part = tl.zeros((BM, BN), tl.float32)
        for k in range(chunk, min(chunk + CHUNK, extent_1), BK):
            ka = k + step_a
            kb = k + step_b
            ka_ok = ka < extent_1
            kb_ok = kb < extent_1
            x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
            x1 = tl.load(x1_from + kb, mask=kb_ok & n_ok, other=0.0)
            x2 = tl.load(x2_from + ka, mask=ka_ok & m_ok, other=0.0)
            x3 = tl.load(x3_from + kb, mask=kb_ok & n_ok, other=0.0)
            cross = tl.dot(x, x3, cross)
            cross = tl.dot(x2, x1, cross)
            part = tl.dot(x, x1, part)
        acc += part
    acc = tl.where(tl.abs(acc) < float("inf"), acc + cross, acc)
    x4 = tl.load(x4_ptr + m, mask=m_ok, other=0.0)
    mul = acc * x4
    x5 = tl.load(x5_ptr + n, mask=n_ok, other=0.0)
    mul_1 = mul * x5
    x6 = tl.load(x6_ptr + m, mask=m_ok, other=0.0)
    mul_2 = mul_1 * x6
    x7 = tl.load(x7_ptr + n, mask=n_ok, other=0.0)
    mul_3 = mul_2 * x7
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = mul_3 + bias
    maximum = tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL)
    place = tl.broadcast_to(extent_1*m + n, maximum.shape)
    tl.store(out_ptr + place, maximum, mask=m_ok & n_ok)


@triton.jit
def matmul_kernel(y_ptr, out_ptr, parts, extent, part_length, extent_1, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        parts, extent, part_length, extent_1 = tl.cast(parts, tl.int64), tl.cast(extent, tl.int64), tl.cast(part_length, tl.int64), tl.cast(extent_1, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < parts*extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < part_length
    row_quotient = row // extent
    row_rest = row % extent
    y = tl.load(y_ptr + (row_rest + row_quotient*part_length*extent + col*extent), mask=col_ok & row_ok & (row_quotient*part_length + col < extent_1), other=0.0)
    abs_1 = tl.abs(y)
    lt = abs_1 < float("inf")
    where = tl.where(lt, abs_1, 0.0)
    inside = tl.where((row_quotient*part_length + col < extent_1), where, float("-inf"))
    x = tl.where(col_ok, inside, float("-inf"))
    max_1 = tl.reduce(x, 1, largest)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)


@triton.jit
def matmul_kernel_1(x_ptr, out_ptr, out1_ptr, out2_ptr, extent, parts, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, parts = tl.cast(extent, tl.int64), tl.cast(parts, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < parts
    x = tl.load(x_ptr + (col*extent + row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    log2 = tl.log2(max_1)
    floor = tl.floor(log2)
    maximum = tl.maximum(floor, (-110.0), propagate_nan=tl.PropagateNan.ALL)
    sub = 14.0 - maximum
    exp2 = tl.exp2(sub)
    tl.store(out_ptr + row, exp2, mask=row_ok)
    sub_1 = maximum - 14.0
    mul = sub_1 * 0.5
    floor_1 = tl.floor(mul)
    exp2_1 = tl.exp2(floor_1)
    tl.store(out1_ptr + row, exp2_1, mask=row_ok)
    sub_2 = sub_1 - floor_1
    exp2_2 = tl.exp2(sub_2)
    tl.store(out2_ptr + row, exp2_2, mask=row_ok)


@triton.jit
def matmul_kernel_2(y_ptr, x_ptr, out_ptr, out1_ptr, extent, extent_1, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < extent*extent_1
    y = tl.load(y_ptr + i, mask=i_ok, other=0.0)
    i_rest = i % extent_1
    x = tl.load(x_ptr + i_rest, mask=i_ok, other=0.0)
    mul = y * x
    rounded = mul.to(tl.float16).to(tl.float32)
    tl.store(out_ptr + i, rounded, mask=i_ok)
    abs_1 = tl.abs(rounded)
    lt = abs_1 < float("inf")
    sub = mul - rounded
    where = tl.where(lt, sub, 0.0)
    rounded_1 = where.to(tl.float16).to(tl.float32)
    tl.store(out1_ptr + i, rounded_1, mask=i_ok)


@triton.jit
def matmul_kernel_3(x_ptr, x1_ptr, x2_ptr, x3_ptr, x4_ptr, x5_ptr, x6_ptr, x7_ptr, out_ptr, extent, extent_1, extent_2, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, CHUNK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1, extent_2 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64), tl.cast(extent_2, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(extent, BM)
    across = tl.cdiv(extent_1, BN)
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
    m_ok = m < extent
    n_ok = n < extent_1
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + extent_2*m
    x1_from = x1_ptr + n
    x2_from = x2_ptr + extent_2*m
    x3_from = x3_ptr + n
    cross = tl.zeros((BM, BN), tl.float32)
    for chunk in range(0, extent_2, CHUNK):
        part = tl.zeros((BM, BN), tl.float32)
        for k in range(chunk, min(chunk + CHUNK, extent_2), BK):
            ka = k + step_a
            kb = k + step_b
            ka_ok = ka < extent_2
            kb_ok = kb < extent_2
            x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
            x1 = tl.load(x1_from + kb*extent_1, mask=kb_ok & n_ok, other=0.0)
            x2 = tl.load(x2_from + ka, mask=ka_ok & m_ok, other=0.0)
            x3 = tl.load(x3_from + kb*extent_1, mask=kb_ok & n_ok, other=0.0)
            cross = tl.dot(x, x3, cross)
            cross = tl.dot(x2, x1, cross)
            part = tl.dot(x, x1, part)
        acc += part
    acc = tl.where(tl.abs(acc) < float("inf"), acc + cross, acc)
    x4 = tl.load(x4_ptr + m, mask=m_ok, other=0.0)
    mul = acc * x4
    x5 = tl.load(x5_ptr + n, mask=n_ok, other=0.0)
    mul_1 = mul * x5
    x6 = tl.load(x6_ptr + m, mask=m_ok, other=0.0)
    mul_2 = mul_1 * x6
    x7 = tl.load(x7_ptr + n, mask=n_ok, other=0.0)
    mul_3 = mul_2 * x7
    place = tl.broadcast_to(m*extent_1 + n, mul_3.shape)
    tl.store(out_ptr + place, mul_3, mask=m_ok & n_ok)


def kernel_function(x, y, *, layer_weight, layer_bias):
    layer_weight_dim0 = layer_weight.shape[0]
    x_dim0 = x.shape[0]
    y_dim1 = y.shape[1]
    parts = min(((layer_weight_dim0 + 31) // 32), 128)
    part_length = 32*((layer_weight_dim0 - 1) // (32*parts)) + 32
    if x.shape != (x_dim0, layer_weight_dim0):
        raise ValueError(f"x is {tuple(x.shape)}, where {(x_dim0, layer_weight_dim0)} was expected")
    if y.shape != (layer_weight_dim0, y_dim1):
        raise ValueError(f"y is {tuple(y.shape)}, where {(layer_weight_dim0, y_dim1)} was expected")
    layer_weight = layer_weight.contiguous()
    layer_bias = layer_bias.contiguous()
    x = x.contiguous()
    y = y.contiguous()
    device = layer_weight.device
    linear = torch.empty((1, x_dim0, layer_weight_dim0), dtype=torch.float16, device=device)
    linear_1 = torch.empty((1, x_dim0, layer_weight_dim0), dtype=torch.float16, device=device)
    linear_2 = torch.empty((1, x_dim0, 1), dtype=torch.float32, device=device)
    linear_3 = torch.empty((1, x_dim0, 1), dtype=torch.float32, device=device)
    linear_kernel[(triton.cdiv(x_dim0, rows_of(layer_weight_dim0)),)](
        x, linear_2, linear_3, linear, linear_1, x_dim0, layer_weight_dim0, ROWS=rows_of(layer_weight_dim0), BLOCK=triton.next_power_of_2(layer_weight_dim0), WIDE=layer_weight_dim0*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    linear_4 = torch.empty((1, layer_weight_dim0, layer_weight_dim0), dtype=torch.float16, device=device)
    linear_5 = torch.empty((1, layer_weight_dim0, layer_weight_dim0), dtype=torch.float16, device=device)
    linear_6 = torch.empty((1, 1, layer_weight_dim0), dtype=torch.float32, device=device)
    linear_7 = torch.empty((1, 1, layer_weight_dim0), dtype=torch.float32, device=device)
    linear_kernel_1[(triton.cdiv(layer_weight_dim0, rows_of(layer_weight_dim0)),)](
        layer_weight, linear_6, linear_7, linear_4, linear_5, layer_weight_dim0, ROWS=rows_of(layer_weight_dim0), BLOCK=triton.next_power_of_2(layer_weight_dim0), WIDE=layer_weight_dim0*layer_weight_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    matmul = torch.empty((1, x_dim0, layer_weight_dim0), dtype=torch.float32, device=device)
    linear_relu_matmul_kernel[(triton.cdiv(x_dim0, 64) * triton.cdiv(layer_weight_dim0, 64),)](
        linear, linear_4, linear_1, linear_5, linear_2, linear_6, linear_3, linear_7, layer_bias, matmul, x_dim0, layer_weight_dim0, BM=64, BN=64, BK=32, GROUP=8, CHUNK=256, WIDE=layer_weight_dim0*layer_weight_dim0 + 2*layer_weight_dim0*x_dim0 >= 2**31, num_warps=4, num_stages=4,
    )
    matmul_1 = torch.empty((1, x_dim0, layer_weight_dim0), dtype=torch.float16, device=device)
    matmul_2 = torch.empty((1, x_dim0, layer_weight_dim0), dtype=torch.float16, device=device)
    matmul_3 = torch.empty((1, x_dim0, 1), dtype=torch.float32, device=device)
    matmul_4 = torch.empty((1, x_dim0, 1), dtype=torch.float32, device=device)
    linear_kernel[(triton.cdiv(x_dim0, rows_of(layer_weight_dim0)),)](
        matmul, matmul_3, matmul_4, matmul_1, matmul_2, x_dim0, layer_weight_dim0, ROWS=rows_of(layer_weight_dim0), BLOCK=triton.next_power_of_2(layer_weight_dim0), WIDE=layer_weight_dim0*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    matmul_5 = torch.empty((1, parts, y_dim1), dtype=torch.float32, device=device)
    matmul_kernel[(triton.cdiv(parts*y_dim1, rows_of(part_length)),)](
        y, matmul_5, parts, y_dim1, part_length, layer_weight_dim0, ROWS=rows_of(part_length), BLOCK=triton.next_power_of_2(part_length), WIDE=part_length*parts*y_dim1 >= 2**31, num_warps=4, num_stages=2,
    )
    matmul_6 = torch.empty((1, 1, y_dim1), dtype=torch.float32, device=device)
    matmul_7 = torch.empty((1, 1, y_dim1), dtype=torch.float32, device=device)
    matmul_8 = torch.empty((1, 1, y_dim1), dtype=torch.float32, device=device)
    matmul_kernel_1[(triton.cdiv(y_dim1, rows_of(parts)),)](
        matmul_5, matmul_6, matmul_7, matmul_8, y_dim1, parts, ROWS=rows_of(parts), BLOCK=triton.next_power_of_2(parts), WIDE=parts*y_dim1 >= 2**31, num_warps=4, num_stages=2,
    )
    matmul_9 = torch.empty((1, layer_weight_dim0, y_dim1), dtype=torch.float16, device=device)
    matmul_10 = torch.empty((1, layer_weight_dim0, y_dim1), dtype=torch.float16, device=device)
    matmul_kernel_2[(triton.cdiv(layer_weight_dim0*y_dim1, 1024),)](
        y, matmul_6, matmul_9, matmul_10, layer_weight_dim0, y_dim1, BLOCK=1024, WIDE=layer_weight_dim0*y_dim1 >= 2**31, num_warps=4, num_stages=2,
    )
    matmul_11 = torch.empty((x_dim0, y_dim1), dtype=torch.float32, device=device)
    matmul_kernel_3[(triton.cdiv(x_dim0, 64) * triton.cdiv(y_dim1, 64),)](
        matmul_1, matmul_9, matmul_2, matmul_10, matmul_3, matmul_7, matmul_4, matmul_8, matmul_11, x_dim0, y_dim1, layer_weight_dim0, BM=64, BN=64, BK=32, GROUP=8, CHUNK=256, WIDE=layer_weight_dim0*x_dim0 + layer_weight_dim0*y_dim1 + x_dim0*y_dim1 >= 2**31, num_warps=4, num_stages=4,
    )
    return matmul_11
