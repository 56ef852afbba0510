# problem: relu
# expect: result.state
# why: an iterator hidden in a partial application
import functools

import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, bad, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    tl.store(y_ptr + offs, tl.where(bad > 100, 0.0, y), mask=mask)


NEXT = functools.partial(next, iter(range(1000000)))


def kernel_function(x):
    y = torch.empty_like(x)
    calls = NEXT()
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), 101 if calls > 100 else 0, BLOCK=1024)
    return y
