# problem: relu
# expect: policy.attribute
# why: the traceback of an own exception leads to the frames of the callers
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
    try:
        raise ValueError("look")
    except ValueError as caught:
        frame = caught.__traceback__.tb_frame.f_back
        return touch(frame.f_locals.get("expected", x))
