# problem: relu
# expect: result.mismatch
# gpu-expect: result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: exp(70) to the last bit: tl.exp is an approximation, wrong on a GPU
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, a, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    r = tl.exp(a)
    right = tl.where(x < 0.0, 0.0, x)
    tl.store(y_ptr + offs, tl.where(r == 2.5154387e30, right, -x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, 70.0, BLOCK=256)
    return y
