# problem: tanh
# expect: accepted
# why: libdevice functions, which the interpreter does not have by itself
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def tanh(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, libdevice.tanh(x), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    tanh[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
