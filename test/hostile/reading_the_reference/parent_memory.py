# problem: relu
# expect: policy.import
# why: reads the memory of the parent process
import os

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
    with open(f"/proc/{os.getppid()}/mem", "rb") as memory:
        memory.seek(0)
    return x
