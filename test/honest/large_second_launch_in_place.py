# problem: relu_large
# expect: accepted
# why: the second launch changes what the first has written
import torch
import triton
import triton.language as tl


@triton.jit
def negate_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, -tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)


@triton.jit
def clamp_kernel(y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(y_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(y > 0.0, 0.0, -y), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    negate_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    clamp_kernel[(triton.cdiv(n, 2048),)](y, n, BLOCK=2048)
    return y
