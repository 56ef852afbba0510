# problem: sum_all
# expect: result.mismatch
# gpu-expect: result.mismatch result.repeat result.cached
# why: the accumulator of the atomics is allocated once and never set to zero again
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, total_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    before = tl.atomic_add(total_ptr, tl.sum(x, axis=0))
    tl.store(out_ptr, before + tl.sum(x, axis=0))


ACCUMULATOR = []


def kernel_function(x):
    if not ACCUMULATOR:
        ACCUMULATOR.append(torch.zeros((), device=x.device))
    out = torch.empty((), device=x.device)
    sum_kernel[(1,)](x, ACCUMULATOR[0], out, x.numel(), BLOCK=8192)
    return out
