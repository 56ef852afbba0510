"""Triton kernels for column_sums.py.

1. sum_linalg_vector_norm_kernel: sum, linalg_vector_norm over (parts, part_length, columns)
2. sum_linalg_vector_norm_kernel_1: sum, linalg_vector_norm over (parts, columns)
3. mean_kernel: mean over (y_dim1, tall_size)
4. amax_kernel: amax over (y_dim1, tall_size)

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
def sum_linalg_vector_norm_kernel(x_ptr, out_ptr, out1_ptr, columns, parts, part_length, tall_size, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        columns, parts, part_length, tall_size = tl.cast(columns, tl.int64), tl.cast(parts, tl.int64), tl.cast(part_length, tl.int64), tl.cast(tall_size, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < columns*parts
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < part_length
    row_quotient = row // columns
    row_rest = row % columns
    x = tl.load(x_ptr + (row_rest + row_quotient*columns*part_length + col*columns), mask=col_ok & row_ok & (row_quotient*part_length + col < tall_size), other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    mul = x * x
    inside = tl.where((row_quotient*part_length + col < tall_size), mul, 0.0)
    x_2 = tl.where(col_ok, inside, 0.0)
    total_1 = tl.sum(x_2, axis=1)[:, None]
    tl.store(out_ptr + row, total, mask=row_ok)
    tl.store(out1_ptr + row, total_1, mask=row_ok)


@triton.jit
def sum_linalg_vector_norm_kernel_1(x_ptr, x1_ptr, out_ptr, out1_ptr, columns, parts, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
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
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    x1 = tl.load(x1_ptr + (col*columns + row), mask=col_ok & row_ok, other=0.0)
    x_2 = tl.where(col_ok, x1, 0.0)
    total_1 = tl.sum(x_2, axis=1)[:, None]
    tl.store(out_ptr + row, total, mask=row_ok)
    sqrt = tl.sqrt_rn(total_1)
    tl.store(out1_ptr + row, sqrt, mask=row_ok)


@triton.jit
def mean_kernel(y_ptr, out_ptr, extent, tall_size, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, tall_size = tl.cast(extent, tl.int64), tl.cast(tall_size, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < extent
    lane = tl.arange(0, BLOCK)[None, :]
    if WIDE:
        lane = lane.to(tl.int64)
    total = tl.full((ROWS, BLOCK), 0.0, tl.float32)
    y_from = y_ptr + row
    for start in range(0, tall_size, BLOCK):
        col = start + lane
        col_ok = col < tall_size
        y = tl.load(y_from + col*extent, mask=col_ok & row_ok, other=0.0)
        x = tl.where(col_ok, y, 0.0)
        total = total + x
    sum_1 = tl.sum(total, axis=1)[:, None]
    at = tl.cast(tall_size, tl.int64)
    as_float32 = at.to(tl.float32)
    div = sum_1 / as_float32
    tl.store(out_ptr + row, div, mask=row_ok)


@triton.jit
def amax_kernel(y_ptr, out_ptr, tall_size, extent, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tall_size, extent = tl.cast(tall_size, tl.int64), tl.cast(extent, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < tall_size
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < extent
    y = tl.load(y_ptr + (col + row*extent), mask=col_ok & row_ok, other=0.0)
    x = tl.where(col_ok, y, float("-inf"))
    max_1 = tl.reduce(x, 1, largest)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)


def kernel_function(x, y):
    tall_size = x.shape[0]
    columns = x.shape[1]
    y_dim1 = y.shape[1]
    parts = min(((tall_size + 31) // 32), 2048)
    part_length = 32*((tall_size - 1) // (32*parts)) + 32
    if y.shape != (tall_size, y_dim1):
        raise ValueError(f"y is {tuple(y.shape)}, where {(tall_size, y_dim1)} was expected")
    x = x.contiguous()
    y = y.contiguous()
    device = x.device
    sum_1 = torch.empty((parts, columns), dtype=torch.float32, device=device)
    linalg_vector_norm = torch.empty((parts, columns), dtype=torch.float32, device=device)
    sum_linalg_vector_norm_kernel[(triton.cdiv(columns*parts, rows_of(part_length)),)](
        x, sum_1, linalg_vector_norm, columns, parts, part_length, tall_size, ROWS=rows_of(part_length), BLOCK=triton.next_power_of_2(part_length), WIDE=columns*part_length*parts >= 2**31, num_warps=4, num_stages=2,
    )
    sum_2 = torch.empty((columns,), dtype=torch.float32, device=device)
    linalg_vector_norm_1 = torch.empty((columns,), dtype=torch.float32, device=device)
    sum_linalg_vector_norm_kernel_1[(triton.cdiv(columns, 64),)](
        sum_1, linalg_vector_norm, sum_2, linalg_vector_norm_1, columns, parts, ROWS=64, BLOCK=triton.next_power_of_2(parts), WIDE=columns*parts >= 2**31, num_warps=16, num_stages=2,
    )
    mean = torch.empty((y_dim1,), dtype=torch.float32, device=device)
    mean_kernel[(triton.cdiv(y_dim1, 8),)](
        y, mean, y_dim1, tall_size, ROWS=8, BLOCK=256, WIDE=tall_size*y_dim1 >= 2**31, num_warps=4, num_stages=2,
    )
    amax = torch.empty((tall_size,), dtype=torch.float32, device=device)
    amax_kernel[(triton.cdiv(tall_size, rows_of(y_dim1)),)](
        y, amax, tall_size, y_dim1, ROWS=rows_of(y_dim1), BLOCK=triton.next_power_of_2(y_dim1), WIDE=tall_size*y_dim1 >= 2**31, num_warps=4, num_stages=2,
    )
    return (sum_2, linalg_vector_norm_1, mean, amax,)
