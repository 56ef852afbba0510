# problem: gelu_tanh
# expect: accepted
# why: libdevice under an alias, with jit functions that call each other and constexpr globals
import torch
import triton
import triton.language as tl
import triton.language.extra.libdevice as ld

ROOT = tl.constexpr(0.7978845608028654)
CUBIC = tl.constexpr(0.044715)


@triton.jit
def _inner(v):
    return ROOT * (v + CUBIC * v * v * v)


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, 0.5 * x * (1.0 + ld.tanh(_inner(x))), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 512),)](x, y, x.numel(), BLOCK=512)
    return y
