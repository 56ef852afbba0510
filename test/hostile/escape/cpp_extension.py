# problem: relu
# expect: policy.import
# why: compiles and loads C++ code
import torch
import triton
import triton.language as tl
from torch.utils.cpp_extension import load_inline


@triton.jit
def touch_kernel(p, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(p + offs, tl.load(p + offs, mask=offs < n), mask=offs < n)


def touch(t):
    touch_kernel[(triton.cdiv(t.numel(), 1024),)](t, t.numel(), BLOCK=1024)
    return t


def kernel_function(x):
    module = load_inline("m", "at::Tensor f(at::Tensor x) { return x.relu(); }", functions=["f"])
    return touch(module.f(x))
