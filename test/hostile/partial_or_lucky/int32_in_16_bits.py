# problem: int_add
# expect: result.mismatch
# why: adds in 16 bits, which is enough for the values that get_inputs draws
import torch
import triton
import triton.language as tl


@triton.jit
def compute(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, (x.to(tl.int16) + y.to(tl.int16)).to(tl.int32), mask=mask)


def kernel_function(x, y):
    out = torch.empty_like(x)
    compute[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
