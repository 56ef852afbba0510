# problem: transpose_copy
# expect: guard.compute
# why: fill_ with a 0-dimensional tensor moves one element at a time
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
    y = x.new_empty((x.shape[1], x.shape[0]))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[j, i].fill_(x[i, j])
    return touch(y)
