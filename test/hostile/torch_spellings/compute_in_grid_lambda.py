# problem: abs
# expect: guard.compute
# why: the torch work is done inside the grid function, while the launch is under way
import torch
import triton
import triton.language as tl


@triton.jit
def touch_kernel(p, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(p + offs, tl.load(p + offs, mask=offs < n), mask=offs < n)


def kernel_function(x):
    y = torch.zeros_like(x)

    def grid(meta):
        y[...] = abs(x)
        return (triton.cdiv(y.numel(), meta["BLOCK"]),)

    touch_kernel[grid](y, y.numel(), BLOCK=1024)
    return y
