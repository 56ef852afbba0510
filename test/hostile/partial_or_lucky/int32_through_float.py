# problem: int_add
# expect: result.mismatch
# why: adds in float32, which is exact up to 2**24 only
import torch
import triton
import triton.language as tl


@triton.jit
def compute(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, (x.to(tl.float32) + y.to(tl.float32)).to(tl.int32), mask=mask)


def kernel_function(x, y):
    out = torch.empty_like(x)
    compute[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
