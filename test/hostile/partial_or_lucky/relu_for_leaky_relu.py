# problem: leaky_relu
# expect: result.mismatch
# why: negative values become zero instead of a hundredth
import torch
import triton
import triton.language as tl


@triton.jit
def leaky_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    leaky_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
