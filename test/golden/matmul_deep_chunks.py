"""Triton kernels for matmul_deep_chunks.py.

1. matmul_kernel: matmul over (1, rows, depth)
2. matmul_kernel_1: matmul over (1, parts, part_length, columns)
3. matmul_kernel_2: matmul over (1, parts, columns)
4. matmul_kernel_3: matmul over (1, depth, columns)
5. matmul_kernel_4: matmul over (1, rows, columns) (float32-grade: three float16 products)

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
def matmul_kernel(a_ptr, out_ptr, out1_ptr, out2_ptr, out3_ptr, rows, depth, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, depth = tl.cast(rows, tl.int64), tl.cast(depth, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < rows
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < depth
    a = tl.load(a_ptr + (col + depth*row), mask=col_ok & row_ok, other=0.0)
    abs_1 = tl.abs(a)
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
    mul_1 = a * exp2_2
    rounded = mul_1.to(tl.float16).to(tl.float32)
    tl.store(out2_ptr + (col + depth*row), rounded, mask=col_ok & row_ok)
    abs_2 = tl.abs(rounded)
    lt_1 = abs_2 < float("inf")
    sub_3 = mul_1 - rounded
    where_1 = tl.where(lt_1, sub_3, 0.0)
    rounded_1 = where_1.to(tl.float16).to(tl.float32)
    tl.store(out3_ptr + (col + depth*row), rounded_1, mask=col_ok & row_ok)


@triton.jit
def matmul_kernel_1(b_ptr, out_ptr, columns, parts, part_length, depth, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, parts, part_length, depth = tl.cast(columns, tl.int64), tl.cast(parts, tl.int64), tl.cast(part_length, tl.int64), tl.cast(depth, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < columns*parts
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < part_length
    row_quotient = row // columns
    row_rest = row % columns
    b = tl.load(b_ptr + (row_rest + row_quotient*columns*part_length + col*columns), mask=col_ok & row_ok & (row_quotient*part_length + col < depth), other=0.0)
    abs_1 = tl.abs(b)
    lt = abs_1 < float("inf")
    where = tl.where(lt, abs_1, 0.0)
    inside = tl.where((row_quotient*part_length + col < depth), where, float("-inf"))
    x = tl.where(col_ok, inside, float("-inf"))
    max_1 = tl.reduce(x, 1, largest)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)


@triton.jit
def matmul_kernel_2(x_ptr, out_ptr, out1_ptr, out2_ptr, columns, parts, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, parts = tl.cast(columns, tl.int64), tl.cast(parts, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < columns
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < parts
    x = tl.load(x_ptr + (col*columns + row), mask=col_ok & row_ok, other=0.0)
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
def matmul_kernel_3(b_ptr, x_ptr, out_ptr, out1_ptr, columns, depth, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, depth = tl.cast(columns, tl.int64), tl.cast(depth, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < columns*depth
    b = tl.load(b_ptr + i, mask=i_ok, other=0.0)
    i_rest = i % columns
    x = tl.load(x_ptr + i_rest, mask=i_ok, other=0.0)
    mul = b * x
    rounded = mul.to(tl.float16).to(tl.float32)
    tl.store(out_ptr + i, rounded, mask=i_ok)
    abs_1 = tl.abs(rounded)
    lt = abs_1 < float("inf")
    sub = mul - rounded
    where = tl.where(lt, sub, 0.0)
    rounded_1 = where.to(tl.float16).to(tl.float32)
    tl.store(out1_ptr + i, rounded_1, mask=i_ok)


@triton.jit
def matmul_kernel_4(x_ptr, x1_ptr, x2_ptr, x3_ptr, x4_ptr, x5_ptr, x6_ptr, x7_ptr, out_ptr, rows, columns, depth, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, CHUNK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, columns, depth = tl.cast(rows, tl.int64), tl.cast(columns, tl.int64), tl.cast(depth, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(rows, BM)
    across = tl.cdiv(columns, BN)
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
    m_ok = m < rows
    n_ok = n < columns
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + depth*m
    x1_from = x1_ptr + n
    x2_from = x2_ptr + depth*m
    x3_from = x3_ptr + n
    cross = tl.zeros((BM, BN), tl.float32)
    for chunk in range(0, depth, CHUNK):
        part = tl.zeros((BM, BN), tl.float32)
        for k in range(chunk, min(chunk + CHUNK, depth), BK):
            ka = k + step_a
            kb = k + step_b
            ka_ok = ka < depth
            kb_ok = kb < depth
            x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
            x1 = tl.load(x1_from + columns*kb, mask=kb_ok & n_ok, other=0.0)
            x2 = tl.load(x2_from + ka, mask=ka_ok & m_ok, other=0.0)
            x3 = tl.load(x3_from + columns*kb, mask=kb_ok & n_ok, other=0.0)
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
    place = tl.broadcast_to(columns*m + n, mul_3.shape)
    tl.store(out_ptr + place, mul_3, mask=m_ok & n_ok)


def kernel_function(a, b):
    rows = a.shape[0]
    depth = a.shape[1]
    columns = b.shape[1]
    parts = min(((depth + 31) // 32), 64)
    part_length = 32*((depth - 1) // (32*parts)) + 32
    if b.shape != (depth, columns):
        raise ValueError(f"b is {tuple(b.shape)}, where {(depth, columns)} was expected")
    a = a.contiguous()
    b = b.contiguous()
    device = a.device
    matmul = torch.empty((1, rows, depth), dtype=torch.float16, device=device)
    matmul_1 = torch.empty((1, rows, depth), dtype=torch.float16, device=device)
    matmul_2 = torch.empty((1, rows, 1), dtype=torch.float32, device=device)
    matmul_3 = torch.empty((1, rows, 1), dtype=torch.float32, device=device)
    matmul_kernel[(triton.cdiv(rows, rows_of(depth)),)](
        a, matmul_2, matmul_3, matmul, matmul_1, rows, depth, ROWS=rows_of(depth), BLOCK=triton.next_power_of_2(depth), WIDE=depth*rows >= 2**31, num_warps=8, num_stages=2,
    )
    matmul_4 = torch.empty((1, parts, columns), dtype=torch.float32, device=device)
    matmul_kernel_1[(triton.cdiv(columns*parts, 64),)](
        b, matmul_4, columns, parts, part_length, depth, ROWS=64, BLOCK=triton.next_power_of_2(part_length), WIDE=columns*part_length*parts >= 2**31, num_warps=8, num_stages=2,
    )
    matmul_5 = torch.empty((1, 1, columns), dtype=torch.float32, device=device)
    matmul_6 = torch.empty((1, 1, columns), dtype=torch.float32, device=device)
    matmul_7 = torch.empty((1, 1, columns), dtype=torch.float32, device=device)
    matmul_kernel_2[(triton.cdiv(columns, 64),)](
        matmul_4, matmul_5, matmul_6, matmul_7, columns, parts, ROWS=64, BLOCK=triton.next_power_of_2(parts), WIDE=columns*parts >= 2**31, num_warps=4, num_stages=2,
    )
    matmul_8 = torch.empty((1, depth, columns), dtype=torch.float16, device=device)
    matmul_9 = torch.empty((1, depth, columns), dtype=torch.float16, device=device)
    matmul_kernel_3[(triton.cdiv(columns*depth, 1024),)](
        b, matmul_5, matmul_8, matmul_9, columns, depth, BLOCK=1024, WIDE=columns*depth >= 2**31, num_warps=4, num_stages=2,
    )
    matmul_10 = torch.empty((rows, columns), dtype=torch.float32, device=device)
    matmul_kernel_4[(triton.cdiv(rows, 64) * triton.cdiv(columns, 64),)](
        matmul, matmul_8, matmul_1, matmul_9, matmul_2, matmul_6, matmul_3, matmul_7, matmul_10, rows, columns, depth, BM=64, BN=64, BK=32, GROUP=8, CHUNK=256, WIDE=columns*depth + columns*rows + depth*rows >= 2**31, num_warps=4, num_stages=4,
    )
    return matmul_10
