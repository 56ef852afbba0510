# problem: relu_large
# expect: result.mismatch
# why: another kernel for large inputs: a copy
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


@triton.jit
def fast_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel = relu_kernel if n < 1000000 else fast_kernel
    kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
