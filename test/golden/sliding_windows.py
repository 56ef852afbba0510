"""Triton kernels for sliding_windows.py.

1. max_pool2d_relu_kernel: max_pool2d, relu over (x_dim0, x_dim1, height_1, width_1, 4, 4)
2. avg_pool2d_kernel: avg_pool2d over (x_dim0, x_dim1, x_dim2, x_dim3, 3, 5)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def max_pool2d_relu_kernel(x_ptr, out_ptr, height, width, extent, extent_1, LINES: tl.constexpr, COLUMNS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        height, width, extent, extent_1 = tl.cast(height, tl.int64), tl.cast(width, tl.int64), tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    program = tl.program_id(0)
    if WIDE:
        program = program.to(tl.int64)
    strips, bands = tl.cdiv(width, COLUMNS), tl.cdiv(height, LINES)
    column = program % strips * COLUMNS + tl.arange(0, COLUMNS)
    column_ok = column < width
    first = program // strips % bands * LINES
    plane = program // strips // bands
    line_1 = tl.full((COLUMNS,), float("-inf"), tl.float32)
    line_2 = tl.full((COLUMNS,), float("-inf"), tl.float32)
    line_3 = tl.full((COLUMNS,), float("-inf"), tl.float32)
    x_from = x_ptr + (column + plane*extent*extent_1)
    for step in tl.static_range(LINES + 3):
        line = first + step
        line_ok = line < height + 3
        largest_seen = tl.full((COLUMNS,), float("-inf"), tl.float32)
        for tap in tl.static_range(4):
            x = tl.load(x_from + (line*extent_1 + tap - extent_1 - 1), mask=column_ok & line_ok & (line >= 1) & (line < extent + 1) & (column + tap >= 1) & (column + tap < extent_1 + 1), other=float("-inf"))
            largest_seen = tl.maximum(largest_seen, x, propagate_nan=tl.PropagateNan.ALL)
        if step >= 3:
            at = line - 3
            at_ok = at < height
            window = tl.maximum(tl.maximum(tl.maximum(line_1, line_2, propagate_nan=tl.PropagateNan.ALL), line_3, propagate_nan=tl.PropagateNan.ALL), largest_seen, propagate_nan=tl.PropagateNan.ALL)
            maximum = tl.maximum(window, 0.0, propagate_nan=tl.PropagateNan.ALL)
            tl.store(out_ptr + (at*width + column + height*plane*width), maximum, mask=at_ok & column_ok)
        line_1 = line_2
        line_2 = line_3
        line_3 = largest_seen


@triton.jit
def avg_pool2d_kernel(x_ptr, out_ptr, extent, extent_1, LINES: tl.constexpr, COLUMNS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    program = tl.program_id(0)
    if WIDE:
        program = program.to(tl.int64)
    strips, bands = tl.cdiv(extent_1, COLUMNS), tl.cdiv(extent, LINES)
    column = program % strips * COLUMNS + tl.arange(0, COLUMNS)
    column_ok = column < extent_1
    first = program // strips % bands * LINES
    plane = program // strips // bands
    line_1 = tl.full((COLUMNS,), 0.0, tl.float32)
    line_2 = tl.full((COLUMNS,), 0.0, tl.float32)
    x_from = x_ptr + (column + plane*extent*extent_1)
    for step in tl.static_range(LINES + 2):
        line = first + step
        line_ok = line < extent + 2
        total = tl.full((COLUMNS,), 0.0, tl.float32)
        for tap in tl.static_range(5):
            x = tl.load(x_from + (line*extent_1 + tap - extent_1 - 2), mask=column_ok & line_ok & (line >= 1) & (line < extent + 1) & (column + tap >= 2) & (column + tap < extent_1 + 2), other=0.0)
            mul = x * 2.0
            inside = tl.where((line >= 1) & (line < extent + 1) & (column + tap >= 2) & (column + tap < extent_1 + 2), mul, 0.0)
            total = total + inside
        if step >= 2:
            at = line - 2
            at_ok = at < extent
            window = line_1 + line_2 + total
            at_1 = tl.cast(tl.maximum(0, at - 1)*tl.maximum(0, column - 2) - tl.maximum(0, at - 1)*tl.minimum(column + 3, extent_1) - tl.maximum(0, column - 2)*tl.minimum(at + 2, extent) + tl.minimum(at + 2, extent)*tl.minimum(column + 3, extent_1), tl.int64)
            as_float32 = at_1.to(tl.float32)
            div = window / as_float32
            tl.store(out_ptr + (at*extent_1 + column + plane*extent*extent_1), div, mask=at_ok & column_ok)
        line_1 = line_2
        line_2 = total


def kernel_function(x):
    x_dim0 = x.shape[0]
    x_dim1 = x.shape[1]
    x_dim2 = x.shape[2]
    x_dim3 = x.shape[3]
    height_1 = x_dim2 - 1
    width_1 = x_dim3 - 1
    x = x.contiguous()
    relu = torch.empty((x_dim0, x_dim1, height_1, width_1), dtype=torch.float32, device=x.device)
    max_pool2d_relu_kernel[(triton.cdiv(width_1, 128) * triton.cdiv(height_1, 8) * (x_dim0*x_dim1),)](
        x, relu, height_1, width_1, x_dim2, x_dim3, LINES=8, COLUMNS=128, WIDE=height_1*width_1*x_dim0*x_dim1 + x_dim0*x_dim1*x_dim2*x_dim3 >= 2**31, num_warps=2, num_stages=2,
    )
    avg_pool2d = torch.empty((x_dim0, x_dim1, x_dim2, x_dim3), dtype=torch.float32, device=x.device)
    avg_pool2d_kernel[(triton.cdiv(x_dim3, 128) * triton.cdiv(x_dim2, 8) * (x_dim0*x_dim1),)](
        x, avg_pool2d, x_dim2, x_dim3, LINES=8, COLUMNS=128, WIDE=2*x_dim0*x_dim1*x_dim2*x_dim3 >= 2**31, num_warps=2, num_stages=2,
    )
    return (relu, avg_pool2d,)
