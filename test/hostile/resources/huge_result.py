# problem: relu
# expect: contract.shape
# why: an expanded result of 2**40 elements: a judge that copies before it looks at the shape runs out of memory
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    y = torch.empty((1,), device=x.device)
    relu_kernel[(1,)](x, y, 1, BLOCK=16)
    return y.expand(1 << 40)
