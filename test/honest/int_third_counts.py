# problem: int_third
# expect: accepted
# why: Triton's division rounds to zero, PyTorch's down: they agree for the counts that the program draws
import torch
import triton
import triton.language as tl


@triton.jit
def divide(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) // 3, mask=offs < n)


def kernel_function(x):
    out = torch.empty_like(x)
    divide[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
