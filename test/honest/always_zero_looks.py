# problem: always_zero
# expect: accepted
# why: the answer is zero for every finite input; this kernel looks at the input all the same and keeps NaN
import torch
import triton
import triton.language as tl


@triton.jit
def clamp_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x != x, x, 0.0), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    clamp_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
