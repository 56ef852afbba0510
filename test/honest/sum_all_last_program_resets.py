# problem: sum_all
# expect: accepted
# why: the counter and the sum are kept between calls; the last program to arrive reads the sum plainly and puts both back to zero
import torch
import triton
import triton.language as tl


SCRATCH = {}


@triton.jit
def k(x_ptr, sum_ptr, counter_ptr, out_ptr, n, parts, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(sum_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))
    if tl.atomic_add(counter_ptr, 1) == parts - 1:
        tl.store(out_ptr, tl.load(sum_ptr))
        tl.store(sum_ptr, 0.0)
        tl.store(counter_ptr, 0)


def kernel_function(x):
    if x.device not in SCRATCH:
        SCRATCH[x.device] = (torch.zeros(1, dtype=torch.float32, device=x.device),
                             torch.zeros(1, dtype=torch.int32, device=x.device))
    total, counter = SCRATCH[x.device]
    out = torch.empty((), dtype=x.dtype, device=x.device)
    parts = triton.cdiv(x.numel(), 512)
    k[(parts,)](x, total, counter, out, x.numel(), parts, BLOCK=512)
    return out
