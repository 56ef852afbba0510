# problem: sum_all
# expect: result.mismatch
# gpu-expect: result.mismatch result.repeat result.special
# why: the atomics add to memory that nobody set to zero
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, total_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(total_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


def kernel_function(x):
    total = torch.empty((), dtype=x.dtype, device=x.device)
    sum_kernel[(triton.cdiv(x.numel(), 1024),)](x, total, x.numel(), BLOCK=1024)
    return total
