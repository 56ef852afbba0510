# problem: exp
# expect: result.special
# gpu-expect: result.mismatch result.special
# why: clamps the argument so that nothing overflows, where torch.exp gives inf
import torch
import triton
import triton.language as tl


@triton.jit
def exp_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, tl.exp(tl.where(x > 20.0, 20.0, x)), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    exp_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
