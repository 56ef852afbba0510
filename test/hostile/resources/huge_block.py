# problem: relu
# expect: run.raised
# gpu-expect: compile.failed run.timeout run.memory run.raised
# flags: --timeout 20
# why: one block of 2**30 elements
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
    y = torch.empty_like(x)
    relu_kernel[(1,)](x, y, x.numel(), BLOCK=1 << 30)
    return y
