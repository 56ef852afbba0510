"""Triton kernels for avgpool2d.py.

1. avg_pool2d_kernel: avg_pool2d over (batch_size, channels, (height // 2), (width // 2), 2, 2)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def avg_pool2d_kernel(x_ptr, avg_pool2d_ptr, batch_size, channels, height, width, ROWS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, channels, height, width = tl.cast(batch_size, tl.int64), tl.cast(channels, tl.int64), tl.cast(height, tl.int64), tl.cast(width, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < (height // 2)*(width // 2)*batch_size*channels
    total = tl.full((ROWS, 1), 0.0, tl.float32)
    for col in tl.static_range(4):
        x = tl.load(x_ptr + 2*((row // (width // 2)) % (height // 2))*width + (col % 2) + (col // 2)*width + 2*(row % (width // 2)) + (row // ((height // 2)*(width // 2)))*height*width, mask=row_ok & (2*((row // (width // 2)) % (height // 2)) + (col // 2) < height) & ((col % 2) + 2*(row % (width // 2)) < width), other=0.0)
        x_1 = x
        total = total + x_1
    at = tl.cast(4*((row // (width // 2)) % (height // 2))*(row % (width // 2)) - 2*((row // (width // 2)) % (height // 2))*tl.minimum(2*(row % (width // 2)) + 2, width) - 2*(row % (width // 2))*tl.minimum(2*((row // (width // 2)) % (height // 2)) + 2, height) + tl.minimum(2*((row // (width // 2)) % (height // 2)) + 2, height)*tl.minimum(2*(row % (width // 2)) + 2, width), tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    tl.store(avg_pool2d_ptr + row, div, mask=row_ok)


def kernel_function(x):
    batch_size = x.shape[0]
    channels = x.shape[1]
    height = x.shape[2]
    width = x.shape[3]
    x = x.contiguous()
    avg_pool2d = torch.empty((batch_size, channels, (height // 2), (width // 2)), dtype=torch.float32, device=x.device)
    avg_pool2d_kernel[(triton.cdiv((height // 2)*(width // 2)*batch_size*channels, 256),)](
        x, avg_pool2d, batch_size, channels, height, width, ROWS=256, WIDE=4*(height // 2)*(width // 2)*batch_size*channels >= 2**31, num_warps=4, num_stages=2,
    )
    return avg_pool2d
