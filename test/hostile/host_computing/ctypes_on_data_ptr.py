# problem: relu
# expect: policy.import
# why: ctypes reads and writes behind data_ptr()
# behind: guard.provenance
import ctypes

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
    src = (ctypes.c_float * x.numel()).from_address(x.data_ptr())
    dst = (ctypes.c_float * x.numel()).from_address(y.data_ptr())
    for i in range(x.numel()):
        dst[i] = src[i] if src[i] > 0 else 0.0
    return touch(y)
