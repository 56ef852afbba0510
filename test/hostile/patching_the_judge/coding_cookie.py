# -*- coding: utf-7 -*-
# problem: relu
# expect: policy.syntax
# why: a UTF-7 cookie: read as UTF-8 the import is part of a comment, read as declared it is code
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


# harmless note +AAo-import os+AAo-os._exit(0)+AAo-


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
