"""Triton kernels for pixel_shuffle.py.

1. pixel_shuffle_kernel: pixel_shuffle over (batch, (channels // 4), height, 2, width, 2)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def pixel_shuffle_kernel(x_ptr, out_ptr, batch, channels, height, width, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, channels, height, width = tl.cast(batch, tl.int64), tl.cast(channels, tl.int64), tl.cast(height, tl.int64), tl.cast(width, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 4*(channels // 4)*batch*height*width
    i_quotient = i // (2*width)
    i_rest = i_quotient % 2
    i_quotient_1 = i // (4*width)
    i_rest_1 = i_quotient_1 % height
    i_quotient_2 = i // 2
    i_rest_2 = i_quotient_2 % width
    i_rest_3 = i % 2
    i_quotient_3 = i // (4*height*width)
    x = tl.load(x_ptr + (2*i_rest*height*width + i_rest_1*width + i_rest_2 + i_rest_3*height*width + 4*i_quotient_3*height*width), mask=i_ok, other=0.0)
    tl.store(out_ptr + i, x, mask=i_ok)


def kernel_function(x):
    batch = x.shape[0]
    channels = x.shape[1]
    height = x.shape[2]
    width = x.shape[3]
    x = x.contiguous()
    pixel_shuffle = torch.empty((batch, (channels // 4), height, 2, width, 2), dtype=torch.float32, device=x.device)
    pixel_shuffle_kernel[(triton.cdiv(4*(channels // 4)*batch*height*width, 1024),)](
        x, pixel_shuffle, batch, channels, height, width, BLOCK=1024, WIDE=4*(channels // 4)*batch*height*width >= 2**31, num_warps=4, num_stages=2,
    )
    return pixel_shuffle.reshape((batch, (channels // 4), 2*height, 2*width))
