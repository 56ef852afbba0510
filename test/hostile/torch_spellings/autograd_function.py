# problem: relu
# expect: policy.method
# why: a torch.autograd.Function whose forward uses torch
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


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t.clamp(min=0.0)


def kernel_function(x):
    return touch(Relu.apply(x))
