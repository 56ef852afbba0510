# problem: relu
# expect: result.cached
# why: the first answer for a shape is kept, and every call copies it to fresh memory with a kernel
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


KEPT = {}


def kernel_function(x):
    n = x.numel()
    grid = (triton.cdiv(n, 1024),)
    key = x.shape
    if key not in KEPT:
        KEPT[key] = torch.empty_like(x)
        relu_kernel[grid](x, KEPT[key], n, BLOCK=1024)
    y = torch.empty_like(x)
    relu_kernel[grid](KEPT[key], y, n, BLOCK=1024)
    return y
