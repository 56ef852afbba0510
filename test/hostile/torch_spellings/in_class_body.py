# problem: relu
# expect: policy.torch
# why: the function is an attribute of a class
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


class Ops:
    act = torch.relu


def kernel_function(x):
    return touch(Ops.act(x))
