"""Triton kernels for maxpool2d.py.

1. max_pool2d_kernel: max_pool2d over (batch, channels, height_1, width_1, 3, 3)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def max_pool2d_kernel(x_ptr, out_ptr, batch, channels, height_1, width_1, height, width, ROWS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, channels, height_1, width_1, height, width = tl.cast(batch, tl.int64), tl.cast(channels, tl.int64), tl.cast(height_1, tl.int64), tl.cast(width_1, tl.int64), tl.cast(height, tl.int64), tl.cast(width, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch*channels*height_1*width_1
    largest_seen = tl.full((ROWS, 1), float("-inf"), tl.float32)
    row_quotient = row // width_1
    row_rest = row_quotient % height_1
    row_rest_1 = row % width_1
    row_quotient_1 = row // (height_1*width_1)
    x_from = x_ptr + (2*row_rest*width + 2*row_rest_1 + row_quotient_1*height*width)
    for col in tl.static_range(9):
        x = tl.load(x_from + ((col % 3) + (col // 3)*width - width - 1), mask=row_ok & (2*row_rest + (col // 3) >= 1) & (2*row_rest + (col // 3) < height + 1) & ((col % 3) + 2*row_rest_1 >= 1) & ((col % 3) + 2*row_rest_1 < width + 1), other=float("-inf"))
        x_1 = x
        largest_seen = tl.maximum(largest_seen, x_1, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + row, largest_seen, mask=row_ok)


def kernel_function(x):
    batch = x.shape[0]
    channels = x.shape[1]
    height = x.shape[2]
    width = x.shape[3]
    height_1 = ((height + 1) // 2)
    width_1 = ((width + 1) // 2)
    x = x.contiguous()
    max_pool2d = torch.empty((batch, channels, height_1, width_1), dtype=torch.float32, device=x.device)
    max_pool2d_kernel[(triton.cdiv(batch*channels*height_1*width_1, 256),)](
        x, max_pool2d, batch, channels, height_1, width_1, height, width, ROWS=256, WIDE=9*batch*channels*height_1*width_1 >= 2**31, num_warps=4, num_stages=2,
    )
    return max_pool2d
