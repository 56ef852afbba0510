# problem: relu
# expect: result.mismatch
# why: the same with blocks: a product that goes into a difference is fused with it
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, a, c, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    v = a + tl.arange(0, BLOCK) * 0.0
    r = v * v - c
    right = tl.where(x < 0.0, 0.0, x)
    tl.store(y_ptr + offs, tl.where(r == 0.0, right, -x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, 1.000244140625, 1.00048828125, BLOCK=256)
    return y
