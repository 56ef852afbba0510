"""Triton kernels for concat.py.

1. cat_kernel: cat over (batch_size, left + right)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cat_kernel(a_ptr, b_ptr, out_ptr, batch_size, left, right, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, left, right = tl.cast(batch_size, tl.int64), tl.cast(left, tl.int64), tl.cast(right, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < batch_size*left + batch_size*right
    i_rest = i % (left + right)
    i_quotient = i // (left + right)
    a = tl.load(a_ptr + (i_rest + i_quotient*left), mask=i_ok & (i_rest < left), other=0.0)
    b = tl.load(b_ptr + (i_rest + i_quotient*right - left), mask=i_ok & (left < i_rest + 1), other=0.0)
    joined = tl.where((i_rest < left), a, b)
    tl.store(out_ptr + i, joined, mask=i_ok)


def kernel_function(a, b):
    batch_size = a.shape[0]
    left = a.shape[1]
    right = b.shape[1]
    if b.shape != (batch_size, right):
        raise ValueError(f"b is {tuple(b.shape)}, where {(batch_size, right)} was expected")
    a = a.contiguous()
    b = b.contiguous()
    cat = torch.empty((batch_size, left + right), dtype=torch.float32, device=a.device)
    cat_kernel[(triton.cdiv(batch_size*left + batch_size*right, 1024),)](
        a, b, cat, batch_size, left, right, BLOCK=1024, WIDE=batch_size*left + batch_size*right >= 2**31, num_warps=4, num_stages=2,
    )
    return cat
