# problem: sum_all
# expect: accepted
# why: a zero-initialised accumulator and atomics, so that the order of the sum may differ between calls
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, total_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.atomic_add(total_ptr, tl.sum(x, axis=0))


def kernel_function(x):
    total = torch.zeros((), dtype=x.dtype, device=x.device)
    sum_kernel[(triton.cdiv(x.numel(), 1024),)](x, total, x.numel(), BLOCK=1024)
    return total
