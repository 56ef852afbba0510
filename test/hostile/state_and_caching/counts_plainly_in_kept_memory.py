# problem: relu
# expect: result.state
# why: a second launch adds one to a kept number, without atomics; the first launch is right while it is small
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, count_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where((y < 0) | (tl.load(count_ptr) > 100.0), 0.0, y), mask=mask)


@triton.jit
def count_kernel(count_ptr):
    tl.store(count_ptr, tl.load(count_ptr) + 1.0)


COUNT = torch.zeros(1, device="cuda")


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, COUNT, x.numel(), BLOCK=1024)
    count_kernel[(1,)](COUNT)
    return y
