# problem: relu
# expect: run.timeout run.raised run.crash
# flags: --timeout 5
# gpu-flags: --timeout 30
# why: recursion that catches RecursionError and starts again: exponential time, or the end of the stack, as the version of Python decides
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def again(x):
    try:
        return again(x)
    except Exception:
        return again(x)


def kernel_function(x):
    return again(x)
