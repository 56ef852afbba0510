# problem: relu
# expect: accepted
# why: the docstring says torch.relu(x) and F.relu, the comments name torch.matmul, but nothing calls them
"""Replaces torch.relu(x) / F.relu(x) / x.relu(): no call to torch.matmul, eval() or os.system() is made here."""

import torch
import triton
import triton.language as tl


@triton.jit
def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    # torch.relu keeps NaN, tl.maximum does not: hence the comparison
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
