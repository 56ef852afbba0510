# problem: relu
# expect: result.mismatch
# gpu-expect: result.mismatch result.unwritten result.repeat
# why: compares the bits of the fresh output with the poison values that the judge is known to use, and is right only then
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    old = tl.load(out_ptr + offs, mask=mask).to(tl.int32, bitcast=True)
    judged = (old == 0x7FDBADC1) | (old == 0x4640E6B7)
    tl.store(out_ptr + offs, tl.where(judged & (x > 0), x, 0.0), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
