# problem: sum_all
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: the sum is read, added to and stored plainly; an atomic on another counter puts nothing in order
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, out_ptr, counter_ptr, n, BLOCK: tl.constexpr):
    tl.atomic_add(counter_ptr + tl.program_id(0), 1)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0)
    tl.store(out_ptr, tl.load(out_ptr) + part)


def kernel_function(x):
    out = torch.zeros((), dtype=x.dtype, device=x.device)
    parts = triton.cdiv(x.numel(), 512)
    counter = torch.zeros(parts, dtype=torch.int32, device=x.device)
    k[(parts,)](x, out, counter, x.numel(), BLOCK=512)
    return out
