# problem: abs
# expect: policy.attribute
# why: without a GPU the kernel body is plain Python: it reaches the tensors through a list and calls torch
# behind: guard.compute
import torch
import triton
import triton.language as tl


BOX = []


@triton.jit
def busy_kernel(y_ptr, n, BLOCK: tl.constexpr):
    BOX[1].copy_(torch.abs(BOX[0]))
    offs = tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(y_ptr + offs, mask=offs < n), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    BOX[:] = [x, y]
    busy_kernel[(1,)](y, y.numel(), BLOCK=4096)
    return y
