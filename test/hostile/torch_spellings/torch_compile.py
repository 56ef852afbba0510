# problem: softmax_rows
# expect: policy.torch
# why: torch.compile as a decorator would generate the kernel
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


@torch.compile
def body(t):
    return t.softmax(1)


def kernel_function(x):
    return touch(body(x))
