# problem: relu
# expect: result.repeat
# gpu-expect: result.mismatch result.unwritten result.repeat
# why: stores the right answer where the fresh output holds NaN and half of it elsewhere
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    old = tl.load(out_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    tl.store(out_ptr + offs, tl.where(old != old, y, 0.5 * y), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
