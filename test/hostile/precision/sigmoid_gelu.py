# problem: gelu_tanh
# expect: result.mismatch
# gpu-expect: result.mismatch result.precision
# why: GELU as x * sigmoid(1.702 x): off by up to 2e-2
import torch
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x / (1.0 + tl.exp(-1.702 * x)), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
