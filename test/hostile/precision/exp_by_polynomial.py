# problem: exp
# expect: result.precision
# gpu-expect: result.precision result.mismatch
# why: exp by exponent bits and a cubic: relative error 1e-4
import torch
import triton
import triton.language as tl


@triton.jit
def exp_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    t = x * 1.4426950408889634
    i = tl.floor(t)
    f = t - i
    p = 0.99992807 + f * (0.69643958 + f * (0.22469392 + f * 0.07904259))
    tl.store(out_ptr + offs, tl.exp2(i) * p, mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    exp_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
