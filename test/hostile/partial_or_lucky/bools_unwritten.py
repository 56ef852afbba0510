# problem: bool_compare
# expect: result.repeat
# gpu-expect: result.repeat result.unwritten result.mismatch
# why: a bool has no poison value: the last block is never written
import torch
import triton
import triton.language as tl


@triton.jit
def gt_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x > y, mask=mask)


def kernel_function(x, y):
    out = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    gt_kernel[(x.numel() // 1024,)](x, y, out, x.numel(), BLOCK=1024)
    return out
