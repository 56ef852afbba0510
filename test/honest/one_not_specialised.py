# problem: relu
# expect: accepted
# why: do_not_specialize keeps an argument that is 1 a number of the running kernel
import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["stride"])
def relu_kernel(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs * stride.to(tl.int64), mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, x.stride(-1), BLOCK=256)
    return y
