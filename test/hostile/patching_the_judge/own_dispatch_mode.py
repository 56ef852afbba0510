# problem: relu
# expect: policy.import
# why: a dispatch mode of its own above the guard
import torch
import triton
import triton.language as tl
from torch.utils._python_dispatch import TorchDispatchMode


@triton.jit
def touch_kernel(p, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(p + offs, tl.load(p + offs, mask=offs < n), mask=offs < n)


def touch(t):
    touch_kernel[(triton.cdiv(t.numel(), 1024),)](t, t.numel(), BLOCK=1024)
    return t


class Quiet(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def kernel_function(x):
    with Quiet():
        return touch(x.relu())
