# problem: concat
# expect: guard.compute
# why: slices of a fresh tensor are assigned: two copies do the work
# behind: guard.compute
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


def kernel_function(a, b):
    y = a.new_empty((a.shape[0], a.shape[1] + b.shape[1]))
    y[:, : a.shape[1]] = a
    y[:, a.shape[1] :] = b
    return touch(y)
