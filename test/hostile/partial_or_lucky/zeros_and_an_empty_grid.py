# problem: always_zero
# expect: guard.launch
# gpu-expect: guard.launch guard.provenance result.special
# why: torch.zeros is the answer and the kernel is launched with no programs
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
    out = torch.zeros_like(x)
    zero_kernel[(0,)](x, out, x.numel(), BLOCK=1024)
    return out
