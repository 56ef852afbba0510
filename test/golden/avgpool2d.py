"""Triton kernels for avgpool2d.py.

1. avg_pool2d_kernel: avg_pool2d over (batch_size, channels, height_1, width_1, 2, 2)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def avg_pool2d_kernel(x_ptr, out_ptr, batch_size, channels, height_1, width_1, height, width, ROWS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, channels, height_1, width_1, height, width = tl.cast(batch_size, tl.int64), tl.cast(channels, tl.int64), tl.cast(height_1, tl.int64), tl.cast(width_1, tl.int64), tl.cast(height, tl.int64), tl.cast(width, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch_size*channels*height_1*width_1
    total = tl.full((ROWS, 1), 0.0, tl.float32)
    row_quotient = row // width_1
    row_rest = row_quotient % height_1
    row_rest_1 = row % width_1
    row_quotient_1 = row // (height_1*width_1)
    x_from = x_ptr + (2*row_rest*width + 2*row_rest_1 + row_quotient_1*height*width)
    for col in tl.static_range(4):
        x = tl.load(x_from + ((col % 2) + (col // 2)*width), mask=row_ok & (2*row_rest + (col // 2) < height) & ((col % 2) + 2*row_rest_1 < width), other=0.0)
        x_1 = x
        total = total + x_1
    at = tl.cast(4*row_rest*row_rest_1 - 2*row_rest*tl.minimum(2*row_rest_1 + 2, width) - 2*row_rest_1*tl.minimum(2*row_rest + 2, height) + tl.minimum(2*row_rest + 2, height)*tl.minimum(2*row_rest_1 + 2, width), tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    tl.store(out_ptr + row, div, mask=row_ok)


def kernel_function(x):
    batch_size = x.shape[0]
    channels = x.shape[1]
    height = x.shape[2]
    width = x.shape[3]
    height_1 = (height // 2)
    width_1 = (width // 2)
    x = x.contiguous()
    avg_pool2d = torch.empty((batch_size, channels, height_1, width_1), dtype=torch.float32, device=x.device)
    avg_pool2d_kernel[(triton.cdiv(batch_size*channels*height_1*width_1, 256),)](
        x, avg_pool2d, batch_size, channels, height_1, width_1, height, width, ROWS=256, WIDE=4*batch_size*channels*height_1*width_1 >= 2**31, num_warps=4, num_stages=2,
    )
    return avg_pool2d
