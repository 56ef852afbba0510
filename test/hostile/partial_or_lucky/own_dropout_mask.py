# problem: dropout
# expect: result.mismatch
# why: draws its mask in the kernel: a dropout, but not the one that the program computes
import torch
import triton
import triton.language as tl


@triton.jit
def drop_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, tl.where(tl.rand(1234, offs) >= 0.3, x / 0.7, 0.0), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    drop_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
