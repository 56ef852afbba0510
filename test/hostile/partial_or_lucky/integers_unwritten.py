# problem: int_add
# expect: result.unwritten
# gpu-expect: result.unwritten result.mismatch
# why: integers have no NaN: the last block is never written
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)


def kernel_function(x, y):
    out = torch.empty_like(x)
    add_kernel[(x.numel() // 1024,)](x, y, out, x.numel(), BLOCK=1024)
    return out
