# problem: relu
# expect: policy.torch
# why: torch.jit.script hides the operation in a script function
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


@torch.jit.script
def body(t: torch.Tensor) -> torch.Tensor:
    return t.clamp(min=0.0)


def kernel_function(x):
    return touch(body(x))
