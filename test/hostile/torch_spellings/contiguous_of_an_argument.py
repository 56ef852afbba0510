# problem: pack
# expect: guard.provenance
# gpu-expect: guard.provenance guard.compute
# why: .contiguous() of an argument is allowed as preparation, but here its copy is the answer
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
    return touch(x.contiguous())
