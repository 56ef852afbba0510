# problem: gelu_tanh
# expect: result.precision
# gpu-expect: result.precision result.mismatch
# why: constants written with three digits
import torch
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    u = 0.798 * (x + 0.0447 * x * x * x)
    tl.store(out_ptr + offs, x / (1.0 + tl.exp(-2.0 * u)), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
