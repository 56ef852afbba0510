# problem: bool_compare
# expect: result.mismatch
# why: true is stored as the byte 2: `is it nonzero` agrees, the bytes do not
import torch
import triton
import triton.language as tl


@triton.jit
def gt_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, tl.where(x > y, 2, 0).to(tl.int8), mask=mask)


def kernel_function(x, y):
    out = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    gt_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out.view(torch.int8), x.numel(), BLOCK=1024)
    return out
