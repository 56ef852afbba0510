# problem: relu
# expect: contract.alias
# gpu-expect: result.cached contract.alias guard.provenance
# why: every call writes into and returns one and the same buffer: the answer given before changes under its owner
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


KEPT = {}


def kernel_function(x):
    if x.shape not in KEPT:
        KEPT[x.shape] = torch.empty_like(x)
    y = KEPT[x.shape]
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
