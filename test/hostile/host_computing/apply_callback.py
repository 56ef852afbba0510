# problem: relu
# expect: policy.method
# why: Tensor.apply_ calls a Python function on every element
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
    y = torch.empty_like(x)
    y.copy_(x)
    y.apply_(lambda v: v if v > 0 else 0.0)
    return touch(y)
