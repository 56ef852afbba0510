# problem: sum_all
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: the counter that tells the last program is relaxed: what the others stored need not be there yet
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, part_ptr, counter_ptr, out_ptr, n, parts, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(part_ptr + pid, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))
    if tl.atomic_add(counter_ptr, 1, sem="relaxed") == parts - 1:
        p = tl.arange(0, PARTS)
        tl.store(out_ptr, tl.sum(tl.load(part_ptr + p, mask=p < parts, other=0.0), axis=0))


def kernel_function(x):
    n = x.numel()
    parts = triton.cdiv(n, 512)
    scratch = torch.empty((parts,), dtype=torch.float32, device=x.device)
    counter = torch.zeros((1,), dtype=torch.int32, device=x.device)
    out = torch.empty((), dtype=x.dtype, device=x.device)
    k[(parts,)](x, scratch, counter, out, n, parts, BLOCK=512, PARTS=triton.next_power_of_2(parts))
    return out
