# problem: relu
# expect: policy.attribute
# why: memoryview over the storage of the tensor
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
    flat = memoryview(x.numpy()).cast("B").cast("f")
    return touch(torch.tensor([v if v > 0 else 0.0 for v in flat]).view(x.shape))
