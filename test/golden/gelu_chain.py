"""Triton kernels for gelu_chain.py.

1. clamp_kernel: clamp over (batch_size, width)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def clamp_kernel(x_ptr, out_ptr, batch_size, width, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, width = tl.cast(batch_size, tl.int64), tl.cast(width, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < batch_size*width
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    mul = x * 0.5
    add = mul + 1.0
    mul_1 = 0.5 * add
    mul_2 = add * 0.7071067811865476
    erf = tl.erf(mul_2)
    add_1 = 1.0 + erf
    mul_3 = mul_1 * add_1
    minimum = tl.minimum(mul_3, 6.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + i, minimum, mask=i_ok)


def kernel_function(x):
    batch_size = x.shape[0]
    width = x.shape[1]
    x = x.contiguous()
    clamp = torch.empty((batch_size, width), dtype=torch.float32, device=x.device)
    clamp_kernel[(triton.cdiv(batch_size*width, 1024),)](
        x, clamp, batch_size, width, BLOCK=1024, WIDE=batch_size*width >= 2**31, num_warps=4, num_stages=2,
    )
    return clamp
