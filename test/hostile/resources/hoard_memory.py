# problem: relu
# expect: run.memory
# gpu-expect: run.memory run.raised
# flags: --timeout 180
# why: a Python list grows until nothing is left
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
    hoard = []
    while True:
        hoard.append([0] * (1 << 24))
