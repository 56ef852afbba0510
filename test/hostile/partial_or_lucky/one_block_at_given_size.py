# problem: relu_large
# expect: compile.failed
# gpu-expect: compile.failed run.raised
# why: one block for everything: too large for Triton at the given sizes
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
    relu_kernel[(1,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
