# problem: tanh
# expect: result.mismatch
# gpu-expect: result.mismatch result.precision
# why: a power series of tanh: right near zero only
import torch
import triton
import triton.language as tl


@triton.jit
def tanh_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    s = x * x
    tl.store(out_ptr + offs, x * (1.0 - s / 3.0 + 2.0 * s * s / 15.0), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    tanh_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
