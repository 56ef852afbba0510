# problem: relu
# expect: policy.name
# why: typing.get_type_hints evaluates annotation strings: eval by another name
import typing

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


def carrier(a: "__import__('sys').modules"):
    return a


def kernel_function(x):
    modules = typing.get_type_hints(carrier)["a"]
    print(len(modules))
    return touch(x)
