# problem: relu
# expect: policy.attribute
# why: the frame of a generator leads to the callers without any import or dunder name
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
    walker = (step for step in (1,))
    frame = walker.gi_frame
    while frame is not None:
        if "expected" in frame.f_locals:
            return touch(frame.f_locals["expected"])
        frame = frame.f_back
    return x
