# problem: relu
# expect: policy.import
# why: pops the guard from the dispatch-mode stack, computes, pushes it back
import torch
import triton
import triton.language as tl
from torch.utils._python_dispatch import _pop_mode, _push_mode


@triton.jit
def touch_kernel(p, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(p + offs, tl.load(p + offs, mask=offs < n), mask=offs < n)


def touch(t):
    touch_kernel[(triton.cdiv(t.numel(), 1024),)](t, t.numel(), BLOCK=1024)
    return t


def kernel_function(x):
    mode = _pop_mode()
    try:
        return touch(x.relu())
    finally:
        _push_mode(mode)
