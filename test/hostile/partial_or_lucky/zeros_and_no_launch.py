# problem: always_zero
# expect: guard.launch
# why: torch.zeros is the answer; the kernel is there but never launched
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
    return torch.zeros_like(x)
