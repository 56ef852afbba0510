# problem: sum_all
# expect: result.mismatch
# why: overlapping blocks: some elements are added twice
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, total_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * (BLOCK - 16) + tl.arange(0, BLOCK)
    tl.atomic_add(total_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


def kernel_function(x):
    total = torch.zeros((), dtype=x.dtype, device=x.device)
    sum_kernel[(triton.cdiv(x.numel(), 1024 - 16),)](x, total, x.numel(), BLOCK=1024)
    return total
