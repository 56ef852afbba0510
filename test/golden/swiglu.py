"""Triton kernels for swiglu.py.

1. mul_kernel: mul over (batch_size, ((x_dim1 + 1) // 2))

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def mul_kernel(x_ptr, out_ptr, batch_size, extent, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, extent = tl.cast(batch_size, tl.int64), tl.cast(extent, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < ((extent + 1) // 2)*batch_size
    i_rest = i % ((extent + 1) // 2)
    i_quotient = i // ((extent + 1) // 2)
    x = tl.load(x_ptr + (i_rest + i_quotient*extent), mask=i_ok, other=0.0)
    sigmoid = tl.sigmoid(x)
    mul = x * sigmoid
    x_1 = tl.load(x_ptr + (((extent + 1) // 2) + i_rest + i_quotient*extent), mask=i_ok, other=0.0)
    mul_1 = mul * x_1
    tl.store(out_ptr + i, mul_1, mask=i_ok)


def kernel_function(x):
    batch_size = x.shape[0]
    x_dim1 = x.shape[1]
    x = x.contiguous()
    mul = torch.empty((batch_size, ((x_dim1 + 1) // 2)), dtype=torch.float32, device=x.device)
    mul_kernel[(triton.cdiv(((x_dim1 + 1) // 2)*batch_size, 1024),)](
        x, mul, batch_size, x_dim1, BLOCK=1024, WIDE=((x_dim1 + 1) // 2)*batch_size >= 2**31, num_warps=4, num_stages=2,
    )
    return mul
