# problem: always_zero
# expect: guard.provenance
# why: torch.zeros is the answer; the kernel works on a scratch buffer that nobody reads
import torch
import triton
import triton.language as tl


@triton.jit
def zero_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x * 0.0, mask=mask)


def kernel_function(x):
    scratch = torch.empty_like(x)
    zero_kernel[(triton.cdiv(x.numel(), 1024),)](x, scratch, x.numel(), BLOCK=1024)
    return torch.zeros_like(x)
