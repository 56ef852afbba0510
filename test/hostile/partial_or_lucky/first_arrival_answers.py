# problem: sum_all
# expect: result.mismatch
# gpu-expect: result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: whoever comes first stores what it thinks is the answer, which is right for program 0 alone
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, out_ptr, counter_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if tl.atomic_add(counter_ptr, 1) == 0:
        total = 0.0
        for start in range(pid * BLOCK, n, BLOCK):
            offs = start + tl.arange(0, BLOCK)
            total += tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0)
        tl.store(out_ptr, total)


def kernel_function(x):
    out = torch.empty((), dtype=x.dtype, device=x.device)
    counter = torch.zeros(1, dtype=torch.int32, device=x.device)
    k[(triton.cdiv(x.numel(), 512),)](x, out, counter, x.numel(), BLOCK=512)
    return out
