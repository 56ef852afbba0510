# problem: sum_all
# expect: result.race
# gpu-expect: result.race result.repeat result.mismatch
# why: every program loads, adds and stores the same total: right one after the other, a race on a GPU
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, total_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0)
    tl.store(total_ptr, tl.load(total_ptr) + part)


def kernel_function(x):
    total = torch.zeros((), dtype=x.dtype, device=x.device)
    sum_kernel[(triton.cdiv(x.numel(), 256),)](x, total, x.numel(), BLOCK=256)
    return total
