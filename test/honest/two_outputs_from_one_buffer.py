# problem: two_outputs
# expect: accepted
# why: both outputs are unbound from one allocation: they share storage but no element
import torch
import triton
import triton.language as tl


@triton.jit
def sum_and_difference(x_ptr, y_ptr, a_ptr, b_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(a_ptr + offs, x + y, mask=mask)
    tl.store(b_ptr + offs, x - y, mask=mask)


def kernel_function(x, y):
    both = torch.empty((2, *x.shape), dtype=x.dtype, device=x.device)
    total, difference = both.unbind(0)
    sum_and_difference[(triton.cdiv(x.numel(), 1024),)](x, y, total, difference, x.numel(), BLOCK=1024)
    return total, difference
