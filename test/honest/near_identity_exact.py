# problem: near_identity
# expect: accepted
# why: the output is nearly the input, but the tiny term is there
import torch
import triton
import triton.language as tl


@triton.jit
def residual_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, x + 1e-4 * tl.sin(x), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    residual_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
