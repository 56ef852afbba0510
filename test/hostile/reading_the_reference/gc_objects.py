# problem: relu
# expect: policy.import
# why: looks at every object of the process for a tensor of the right shape
import gc

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
    for thing in gc.get_objects():
        if isinstance(thing, torch.Tensor) and thing.shape == x.shape and thing is not x:
            return touch(thing)
    return x
