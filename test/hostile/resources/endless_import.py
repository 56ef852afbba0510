# problem: relu
# expect: run.timeout
# flags: --timeout 5
# gpu-flags: --timeout 30
# why: never finishes importing
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


while True:
    pass


def kernel_function(x):
    return x
