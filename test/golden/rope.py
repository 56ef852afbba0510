"""Triton kernels for rope.py.

1. cat_kernel: cat over (batch, length, heads, 2*(width // 2))

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cat_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, batch, heads, length, width, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, heads, length, width = tl.cast(batch, tl.int64), tl.cast(heads, tl.int64), tl.cast(length, tl.int64), tl.cast(width, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 2*(width // 2)*batch*heads*length
    i_rest = i % (2*(width // 2))
    i_quotient = i // (2*(width // 2))
    x = tl.load(x_ptr + (i_rest + i_quotient*width), mask=i_ok & (i_rest < (width // 2)), other=0.0)
    i_quotient_1 = i // (2*(width // 2)*heads)
    i_rest_1 = i_quotient_1 % length
    cos = tl.load(cos_ptr + (i_rest_1*(width // 2) + i_rest), mask=i_ok & (i_rest < (width // 2)), other=0.0)
    mul = x * cos
    x_1 = tl.load(x_ptr + (i_rest + i_quotient*width + tl.minimum((width // 2), width)), mask=i_ok & (i_rest < (width // 2)), other=0.0)
    sin = tl.load(sin_ptr + (i_rest_1*(width // 2) + i_rest), mask=i_ok & (i_rest < (width // 2)), other=0.0)
    mul_1 = x_1 * sin
    mul_2 = mul_1 * 1.0
    sub = mul - mul_2
    x_2 = tl.load(x_ptr + (i_rest + i_quotient*width - (width // 2) + tl.minimum((width // 2), width)), mask=i_ok & ((width // 2) < i_rest + 1), other=0.0)
    cos_1 = tl.load(cos_ptr + (i_rest_1*(width // 2) + i_rest - (width // 2)), mask=i_ok & ((width // 2) < i_rest + 1), other=0.0)
    mul_3 = x_2 * cos_1
    x_3 = tl.load(x_ptr + (i_rest + i_quotient*width - (width // 2)), mask=i_ok & ((width // 2) < i_rest + 1), other=0.0)
    sin_1 = tl.load(sin_ptr + (i_rest_1*(width // 2) + i_rest - (width // 2)), mask=i_ok & ((width // 2) < i_rest + 1), other=0.0)
    mul_4 = x_3 * sin_1
    mul_5 = mul_4 * 1.0
    add = mul_3 + mul_5
    joined = tl.where((i_rest < (width // 2)), sub, add)
    tl.store(out_ptr + i, joined, mask=i_ok)


def kernel_function(x, cos, sin):
    batch = x.shape[0]
    length = x.shape[1]
    heads = x.shape[2]
    width = x.shape[3]
    if cos.shape != (length, (width // 2)):
        raise ValueError(f"cos is {tuple(cos.shape)}, where {(length, (width // 2))} was expected")
    if sin.shape != (length, (width // 2)):
        raise ValueError(f"sin is {tuple(sin.shape)}, where {(length, (width // 2))} was expected")
    x = x.contiguous()
    cos = cos.contiguous()
    sin = sin.contiguous()
    cat = torch.empty((batch, length, heads, 2*(width // 2)), dtype=torch.float32, device=x.device)
    cat_kernel[(triton.cdiv(2*(width // 2)*batch*heads*length, 1024),)](
        x, cos, sin, cat, batch, heads, length, width, BLOCK=1024, WIDE=2*(width // 2)*batch*heads*length >= 2**31, num_warps=4, num_stages=2,
    )
    return cat
