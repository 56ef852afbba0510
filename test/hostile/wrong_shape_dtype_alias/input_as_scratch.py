# problem: leaky_relu
# expect: contract.inputs
# why: the answer is right, but the input is used as scratch and stays changed
import torch
import triton
import triton.language as tl


@triton.jit
def leaky_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.01 * x, x), mask=mask)
    tl.store(x_ptr + offs, tl.zeros((BLOCK,), tl.float32), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    leaky_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
