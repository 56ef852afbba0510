"""Triton kernels for long_row_reductions.py.

1. sum_amax_amin_etc_kernel: sum, amax, amin, prod, any, all, argmax, argmin over (parts, part_length)
2. sum_amax_amin_etc_kernel_1: sum, amax, amin, prod, any, all, argmax, argmin over (parts,)
3. argmax_kernel (2 side by side): argmax over (1,)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def smallest(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


def rows_of(length):
    """How many rows make a tile."""
    return max(1, 4096 // triton.next_power_of_2(length))


@triton.jit
def later_largest(a, i, b, j):
    wins = (a > b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))
    return tl.where(wins, a, b), tl.where(wins, i, j)


@triton.jit
def first_largest(x, place):
    _, best = tl.reduce((x, place), 1, later_largest)
    return best


@triton.jit
def later_smallest(a, i, b, j):
    wins = (a < b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))
    return tl.where(wins, a, b), tl.where(wins, i, j)


@triton.jit
def first_smallest(x, place):
    _, best = tl.reduce((x, place), 1, later_smallest)
    return best


@triton.jit
def sum_amax_amin_etc_kernel(x_ptr, out_ptr, out1_ptr, out2_ptr, out3_ptr, out4_ptr, out5_ptr, out6_ptr, out7_ptr, parts, part_length, row_length, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        parts, part_length, row_length = tl.cast(parts, tl.int64), tl.cast(part_length, tl.int64), tl.cast(row_length, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < parts
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < part_length
    x = tl.load(x_ptr + (col + part_length*row), mask=col_ok & row_ok & (col + part_length*row < row_length), other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    x_2 = tl.load(x_ptr + (col + part_length*row), mask=col_ok & row_ok & (col + part_length*row < row_length), other=float("-inf"))
    x_3 = tl.where(col_ok, x_2, float("-inf"))
    max_1 = tl.reduce(x_3, 1, largest)[:, None]
    x_4 = tl.load(x_ptr + (col + part_length*row), mask=col_ok & row_ok & (col + part_length*row < row_length), other=float("inf"))
    x_5 = tl.where(col_ok, x_4, float("inf"))
    min_1 = tl.reduce(x_5, 1, smallest)[:, None]
    mul = x * 1e-06
    add = mul + 1.0
    inside = tl.where((col + part_length*row < row_length), add, 1.0)
    x_6 = tl.where(col_ok, inside, 1.0)
    prod = tl.reduce(x_6, 1, product)[:, None]
    gt = x > 0.99
    inside_1 = tl.where((col + part_length*row < row_length), gt, False)
    x_7 = tl.where(col_ok, inside_1, False)
    any = (tl.max(x_7.to(tl.int32), axis=1) > 0)[:, None]
    gt_1 = x > 0.01
    inside_2 = tl.where((col + part_length*row < row_length), gt_1, True)
    x_8 = tl.where(col_ok, inside_2, True)
    all = (tl.min(x_8.to(tl.int32), axis=1) > 0)[:, None]
    place = tl.broadcast_to(col, (ROWS, BLOCK)).to(tl.int64)
    best_at = first_largest(x_3, place)[:, None]
    place_1 = tl.broadcast_to(col, (ROWS, BLOCK)).to(tl.int64)
    best_at_1 = first_smallest(x_5, place_1)[:, None]
    tl.store(out_ptr + row, total, mask=row_ok)
    tl.store(out1_ptr + row, max_1, mask=row_ok)
    tl.store(out2_ptr + row, min_1, mask=row_ok)
    tl.store(out3_ptr + row, prod, mask=row_ok)
    tl.store(out4_ptr + row, any, mask=row_ok)
    tl.store(out5_ptr + row, all, mask=row_ok)
    tl.store(out6_ptr + row, best_at, mask=row_ok)
    tl.store(out7_ptr + row, best_at_1, mask=row_ok)


@triton.jit
def sum_amax_amin_etc_kernel_1(x_ptr, x1_ptr, x2_ptr, x3_ptr, x4_ptr, x5_ptr, out_ptr, out1_ptr, out2_ptr, out3_ptr, out4_ptr, out5_ptr, out6_ptr, out7_ptr, parts, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        parts = tl.cast(parts, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 1
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < parts
    x = tl.load(x_ptr + col, mask=col_ok, other=0.0)
    x_1 = tl.where(col_ok, tl.broadcast_to(x, (ROWS, BLOCK)), 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    x1 = tl.load(x1_ptr + col, mask=col_ok, other=0.0)
    x_2 = tl.where(col_ok, tl.broadcast_to(x1, (ROWS, BLOCK)), float("-inf"))
    max_1 = tl.reduce(x_2, 1, largest)[:, None]
    x2 = tl.load(x2_ptr + col, mask=col_ok, other=0.0)
    x_3 = tl.where(col_ok, tl.broadcast_to(x2, (ROWS, BLOCK)), float("inf"))
    min_1 = tl.reduce(x_3, 1, smallest)[:, None]
    x3 = tl.load(x3_ptr + col, mask=col_ok, other=0.0)
    x_4 = tl.where(col_ok, tl.broadcast_to(x3, (ROWS, BLOCK)), 1.0)
    prod = tl.reduce(x_4, 1, product)[:, None]
    x4 = tl.load(x4_ptr + col, mask=col_ok, other=False).to(tl.int1)
    x_5 = tl.where(col_ok, tl.broadcast_to(x4, (ROWS, BLOCK)), False)
    any = (tl.max(x_5.to(tl.int32), axis=1) > 0)[:, None]
    x5 = tl.load(x5_ptr + col, mask=col_ok, other=False).to(tl.int1)
    x_6 = tl.where(col_ok, tl.broadcast_to(x5, (ROWS, BLOCK)), True)
    all = (tl.min(x_6.to(tl.int32), axis=1) > 0)[:, None]
    place = tl.broadcast_to(col, (ROWS, BLOCK)).to(tl.int64)
    best_at = first_largest(x_2, place)[:, None]
    place_1 = tl.broadcast_to(col, (ROWS, BLOCK)).to(tl.int64)
    best_at_1 = first_smallest(x_3, place_1)[:, None]
    tl.store(out_ptr + row, best_at, mask=row_ok)
    tl.store(out1_ptr + row, best_at_1, mask=row_ok)
    tl.store(out2_ptr + row, total, mask=row_ok)
    tl.store(out3_ptr + row, max_1, mask=row_ok)
    tl.store(out4_ptr + row, min_1, mask=row_ok)
    tl.store(out5_ptr + row, prod, mask=row_ok)
    tl.store(out6_ptr + row, any, mask=row_ok)
    tl.store(out7_ptr + row, all, mask=row_ok)


@triton.jit
def argmax_kernel(x_ptr, x1_ptr, out_ptr, part_length, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        part_length = tl.cast(part_length, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 1
    x = tl.load(x_ptr)
    at = tl.cast(part_length, tl.int64)
    mul = x * at
    x1 = tl.load(x1_ptr + x)
    add = mul + x1
    tl.store(out_ptr, add)


@triton.jit
def argmax_kernel_x2(x_ptr, x1_ptr, out_ptr, x_ptr_1, x1_ptr_1, out_ptr_1, part_length, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    member = tl.program_id(1)
    if member == 1:
        x_ptr, x1_ptr, out_ptr = x_ptr_1, x1_ptr_1, out_ptr_1
    argmax_kernel(x_ptr, x1_ptr, out_ptr, part_length, BLOCK, WIDE)


def kernel_function(x):
    length = x.shape[1]
    x_dim0 = x.shape[0]
    parts = min(((length*x_dim0 + 1023) // 1024), 2048)
    part_length = 128*((length*x_dim0 - 1) // (128*parts)) + 128
    row_length = length*x_dim0
    x = x.contiguous()
    device = x.device
    sum_1 = torch.empty((parts,), dtype=torch.float32, device=device)
    amax = torch.empty((parts,), dtype=torch.float32, device=device)
    amin = torch.empty((parts,), dtype=torch.float32, device=device)
    prod = torch.empty((parts,), dtype=torch.float32, device=device)
    any = torch.empty((parts,), dtype=torch.bool, device=device)
    all = torch.empty((parts,), dtype=torch.bool, device=device)
    argmax = torch.empty((parts,), dtype=torch.int64, device=device)
    argmin = torch.empty((parts,), dtype=torch.int64, device=device)
    sum_amax_amin_etc_kernel[(triton.cdiv(parts, rows_of(part_length)),)](
        x, sum_1, amax, amin, prod, any, all, argmax, argmin, parts, part_length, row_length, ROWS=rows_of(part_length), BLOCK=triton.next_power_of_2(part_length), WIDE=part_length*parts >= 2**31, num_warps=4, num_stages=2,
    )
    argmax_1 = torch.empty((1,), dtype=torch.int64, device=device)
    argmin_1 = torch.empty((1,), dtype=torch.int64, device=device)
    sum_2 = torch.empty((), dtype=torch.float32, device=device)
    amax_1 = torch.empty((), dtype=torch.float32, device=device)
    amin_1 = torch.empty((), dtype=torch.float32, device=device)
    prod_1 = torch.empty((), dtype=torch.float32, device=device)
    any_1 = torch.empty((), dtype=torch.bool, device=device)
    all_1 = torch.empty((), dtype=torch.bool, device=device)
    sum_amax_amin_etc_kernel_1[(triton.cdiv(1, 1),)](
        sum_1, amax, amin, prod, any, all, argmax_1, argmin_1, sum_2, amax_1, amin_1, prod_1, any_1, all_1, parts, ROWS=1, BLOCK=triton.next_power_of_2(parts), WIDE=parts >= 2**31, num_warps=4, num_stages=2,
    )
    argmax_2 = torch.empty((1,), dtype=torch.int64, device=device)
    argmin_2 = torch.empty((1,), dtype=torch.int64, device=device)
    argmax_kernel_x2[(triton.cdiv(1, 1024), 2)](
        argmax_1, argmax, argmax_2, argmin_1, argmin, argmin_2, part_length, BLOCK=1024, WIDE=False, num_warps=4, num_stages=2,
    )
    return (sum_2, amax_1, amin_1, prod_1, any_1, all_1, argmax_2.reshape(()), argmin_2.reshape(()),)
