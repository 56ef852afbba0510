# problem: tanh
# expect: result.precision result.mismatch
# why: tanh by a rational function with an error of 1e-4; the draw decides whether one element leaves the tolerance
import torch
import triton
import triton.language as tl


@triton.jit
def tanh_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    c = tl.where(x > 4.0, 4.0, tl.where(x < -4.0, -4.0, x))
    s = c * c
    tl.store(out_ptr + offs, c * (945.0 + s * (105.0 + s)) / (945.0 + s * (420.0 + 15.0 * s)), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    tanh_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
