# problem: scale_buffer
# expect: contract.alias
# gpu-expect: contract.alias guard.provenance result.mismatch
# why: an expanded view of a weight
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def kernel_function(x, gain):
    y = torch.empty_like(x)
    copy_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return gain.unsqueeze(0).expand(x.shape[0], x.shape[1])
