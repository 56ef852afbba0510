# problem: always_zero
# expect: guard.provenance
# gpu-expect: accepted guard.provenance
# why: torch.zeros is the answer; the kernel gets it but every store is masked off
import torch
import triton
import triton.language as tl


@triton.jit
def zero_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x, mask=mask & (offs < 0))


def kernel_function(x):
    out = torch.zeros_like(x)
    zero_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
