# problem: sum_all
# expect: guard.compute
# why: the tensor is printed into a string and the numbers are parsed back
import torch
import triton
import triton.language as tl


@triton.jit
def touch_kernel(p, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(p + offs, tl.load(p + offs, mask=offs < n), mask=offs < n)


def touch(t):
    touch_kernel[(triton.cdiv(t.numel(), 1024),)](t, t.numel(), BLOCK=1024)
    return t


def kernel_function(x):
    total = 0.0
    for row in x.unbind(0):
        for v in row.unbind(0):
            total += float(f"{v}".split("(")[-1].rstrip(")"))
    return touch(torch.full((), total, device=x.device))
