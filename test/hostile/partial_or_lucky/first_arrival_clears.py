# problem: sum_all
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: the first program to arrive clears the sum with a plain store while others already add to it
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, out_ptr, counter_ptr, n, BLOCK: tl.constexpr):
    if tl.atomic_add(counter_ptr, 1) == 0:
        tl.store(out_ptr, 0.0)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


def kernel_function(x):
    out = torch.empty((), dtype=x.dtype, device=x.device)
    counter = torch.zeros(1, dtype=torch.int32, device=x.device)
    k[(triton.cdiv(x.numel(), 512),)](x, out, counter, x.numel(), BLOCK=512)
    return out
