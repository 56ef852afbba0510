# problem: relu_large
# expect: accepted
# why: one launch for whole blocks, one for what is left
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)



def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    most = n // 3
    relu_kernel[(triton.cdiv(most, 1024),)](x, y, most, BLOCK=1024)
    relu_kernel[(triton.cdiv(n - most, 2048),)](x.view(-1)[most:], y.view(-1)[most:], n - most, BLOCK=2048)
    return y
