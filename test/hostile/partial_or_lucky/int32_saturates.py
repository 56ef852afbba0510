# problem: int_add
# expect: result.mismatch
# why: clamps where PyTorch wraps around
import torch
import triton
import triton.language as tl


@triton.jit
def compute(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    wide = x.to(tl.int64) + y.to(tl.int64)
    tl.store(out_ptr + offs, tl.minimum(tl.maximum(wide, -2147483648), 2147483647).to(tl.int32), mask=mask)


def kernel_function(x, y):
    out = torch.empty_like(x)
    compute[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
