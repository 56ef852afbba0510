"""Triton kernels for matmul_long_depth.py.

1. matmul_kernel: matmul over (parts, rows, columns) (ieee products)
2. matmul_add_relu_kernel: matmul, add, relu over (1, parts, rows, columns)
3. matmul_kernel_1: matmul over (parts, min(8, rows), columns) (ieee products)
4. matmul_kernel_2: matmul over (1, parts, min(8, rows), columns)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, out_ptr, rows, columns, part_length, depth, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, columns, part_length, depth = tl.cast(rows, tl.int64), tl.cast(columns, tl.int64), tl.cast(part_length, tl.int64), tl.cast(depth, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(rows, BM)
    across = tl.cdiv(columns, BN)
    b = tile // (down * across)
    tile = tile % (down * across)
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
    m_ok = m < rows
    n_ok = n < columns
    acc = tl.zeros((BM, BN), tl.float32)
    a_from = a_ptr + (b*part_length + depth*m)
    b_from = b_ptr + (b*columns*part_length + n)
    for k in range(0, part_length, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < part_length
        kb_ok = kb < part_length
        a = tl.load(a_from + ka, mask=ka_ok & m_ok & (b*part_length + ka < depth), other=0.0)
        b_1 = tl.load(b_from + columns*kb, mask=kb_ok & n_ok & (b*part_length + kb < depth), other=0.0)
        acc = tl.dot(a, b_1, acc, input_precision=PRECISION)
    place = tl.broadcast_to(b*columns*rows + columns*m + n, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)


@triton.jit
def matmul_add_relu_kernel(x_ptr, bias_ptr, out_ptr, columns, rows, parts, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows, parts = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64), tl.cast(parts, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < columns*rows
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < parts
    x = tl.load(x_ptr + (col*columns*rows + row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    row_rest = row % columns
    bias = tl.load(bias_ptr + row_rest, mask=row_ok, other=0.0)
    mul = bias * 1.0
    add = total + mul
    maximum = tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + row, maximum, mask=row_ok)


@triton.jit
def matmul_kernel_1(a_ptr, b_ptr, out_ptr, rows, columns, part_length, depth, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, columns, part_length, depth = tl.cast(rows, tl.int64), tl.cast(columns, tl.int64), tl.cast(part_length, tl.int64), tl.cast(depth, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(tl.minimum(8, rows), BM)
    across = tl.cdiv(columns, BN)
    b = tile // (down * across)
    tile = tile % (down * across)
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
    m_ok = m < tl.minimum(8, rows)
    n_ok = n < columns
    acc = tl.zeros((BM, BN), tl.float32)
    a_from = a_ptr + (b*part_length + depth*m)
    b_from = b_ptr + (b*columns*part_length + n)
    for k in range(0, part_length, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < part_length
        kb_ok = kb < part_length
        a = tl.load(a_from + ka, mask=ka_ok & m_ok & (b*part_length + ka < depth), other=0.0)
        rounded = a.to(tl.float16).to(tl.float32)
        inside = tl.where((b*part_length + ka < depth), rounded, 0.0)
        h = inside.to(tl.float16)
        b_1 = tl.load(b_from + columns*kb, mask=kb_ok & n_ok & (b*part_length + kb < depth), other=0.0)
        rounded_1 = b_1.to(tl.float16).to(tl.float32)
        inside_1 = tl.where((b*part_length + kb < depth), rounded_1, 0.0)
        h_1 = inside_1.to(tl.float16)
        acc = tl.dot(h, h_1, acc)
    place = tl.broadcast_to(b*columns*tl.minimum(8, rows) + columns*m + n, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)


@triton.jit
def matmul_kernel_2(x_ptr, out_ptr, columns, rows, parts, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, rows, parts = tl.cast(columns, tl.int64), tl.cast(rows, tl.int64), tl.cast(parts, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < columns*tl.minimum(8, rows)
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < parts
    x = tl.load(x_ptr + (col*columns*tl.minimum(8, rows) + row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    tl.store(out_ptr + row, total, mask=row_ok)


def kernel_function(a, b, *, bias):
    columns = bias.shape[0]
    rows = a.shape[0]
    depth = a.shape[1]
    parts = min(((depth + 63) // 64), 4)
    part_length = 64*((depth - 1) // (64*parts)) + 64
    if b.shape != (depth, columns):
        raise ValueError(f"b is {tuple(b.shape)}, where {(depth, columns)} was expected")
    bias = bias.contiguous()
    a = a.contiguous()
    b = b.contiguous()
    device = bias.device
    matmul = torch.empty((1, parts, rows, columns), dtype=torch.float32, device=device)
    matmul_kernel[(parts * triton.cdiv(rows, 32) * triton.cdiv(columns, 16),)](
        a, b, matmul, rows, columns, part_length, depth, BM=32, BN=16, BK=32, GROUP=8, PRECISION="ieee", WIDE=columns*part_length*parts + columns*parts*rows + part_length*parts*rows >= 2**31, num_warps=4, num_stages=3,
    )
    relu = torch.empty((rows, columns), dtype=torch.float32, device=device)
    matmul_add_relu_kernel[(triton.cdiv(columns*rows, 256),)](
        matmul, bias, relu, columns, rows, parts, ROWS=256, BLOCK=triton.next_power_of_2(parts), WIDE=columns*parts*rows >= 2**31, num_warps=4, num_stages=2,
    )
    matmul_1 = torch.empty((1, parts, min(8, rows), columns), dtype=torch.float32, device=device)
    matmul_kernel_1[(parts * triton.cdiv(min(8, rows), 16) * triton.cdiv(columns, 16),)](
        a, b, matmul_1, rows, columns, part_length, depth, BM=16, BN=16, BK=64, GROUP=8, WIDE=columns*min(8, rows)*parts + columns*part_length*parts + min(8, rows)*part_length*parts >= 2**31, num_warps=4, num_stages=3,
    )
    matmul_2 = torch.empty((min(8, rows), columns), dtype=torch.float16, device=device)
    matmul_kernel_2[(triton.cdiv(columns*min(8, rows), 128),)](
        matmul_1, matmul_2, columns, rows, parts, ROWS=128, BLOCK=triton.next_power_of_2(parts), WIDE=columns*min(8, rows)*parts >= 2**31, num_warps=4, num_stages=2,
    )
    return (relu, matmul_2,)
