# problem: relu
# expect: run.timeout
# flags: --timeout 5
# gpu-flags: --timeout 30
# why: a loop inside the kernel whose condition never becomes false
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    i = 0
    while i < n:
        tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)
        i = i * 1


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(1,)](x, y, x.numel(), BLOCK=8192)
    return y
