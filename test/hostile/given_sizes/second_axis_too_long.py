# problem: relu_large
# expect: run.raised
# why: more programs on the second axis than CUDA has
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)



def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(1, triton.cdiv(n, 512))](x, y, n, BLOCK=512)
    return y
