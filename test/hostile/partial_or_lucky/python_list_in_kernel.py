# problem: relu
# expect: compile.failed
# why: a growing Python list in the kernel body: plain Python for the interpreter only
# gpu-expect: compile.failed run.raised
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    steps = {"x": tl.load(x_ptr + offs, mask=mask)}
    tl.store(y_ptr + offs, tl.where(steps["x"] < 0, 0.0, steps["x"]), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
