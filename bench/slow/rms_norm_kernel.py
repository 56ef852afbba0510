"""Plain and slow: a program takes a few pixels and goes over their channels twice."""

import torch
import triton
import triton.language as tl


@triton.jit
def normalise_pixels(x_ptr, out_ptr, C, P, eps, BLOCK: tl.constexpr):
    pixel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    image = tl.program_id(1).to(tl.int64) * C * P
    mask = pixel < P
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for c in range(C):
        x = tl.load(x_ptr + image + c * P + pixel, mask=mask, other=0.0)
        total += x * x
    root = tl.sqrt(total / C + eps)
    for c in range(C):
        x = tl.load(x_ptr + image + c * P + pixel, mask=mask, other=0.0)
        tl.store(out_ptr + image + c * P + pixel, x / root, mask=mask)


def kernel_function(x):
    B, C, H, W = x.shape
    out = torch.empty_like(x)
    normalise_pixels[(triton.cdiv(H * W, 32), B)](x, out, C, H * W, 1e-5, BLOCK=32, num_warps=1)
    return out
