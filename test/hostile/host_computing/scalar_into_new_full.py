# problem: mean_rows
# expect: guard.compute
# why: sums in Python and hands the sums over as fill values, one row at a time
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
    out = x.new_empty((x.shape[0],))
    for i in range(x.shape[0]):
        out[i : i + 1].fill_(sum(float(v) for v in x[i]) / x.shape[1])
    return touch(out)
