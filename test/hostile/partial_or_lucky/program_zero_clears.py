# problem: sum_all
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: program 0 clears the sum that all programs add to: those that come before it are lost
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(out_ptr, 0.0)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


def kernel_function(x):
    out = torch.empty((), dtype=x.dtype, device=x.device)
    k[(triton.cdiv(x.numel(), 512),)](x, out, x.numel(), BLOCK=512)
    return out
