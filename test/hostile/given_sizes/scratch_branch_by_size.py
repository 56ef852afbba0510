# problem: relu_large
# expect: result.mismatch
# why: two launches with scratch between them; the second copies what is large
import torch
import triton
import triton.language as tl


@triton.jit
def negate_kernel(x_ptr, t_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(t_ptr + offs, -tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)


@triton.jit
def finish_kernel(t_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t = tl.load(t_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where((t > 0.0) & (n < 1000000), 0.0, -t), mask=offs < n)


def kernel_function(x):
    t, y = torch.empty_like(x), torch.empty_like(x)
    n = x.numel()
    negate_kernel[(triton.cdiv(n, 2048),)](x, t, n, BLOCK=2048)
    finish_kernel[(triton.cdiv(n, 1024),)](t, y, n, BLOCK=1024)
    return y
