# problem: relu
# expect: contract.alias
# gpu-expect: contract.alias result.cached result.mismatch
# why: tensors hash by identity: a dictionary keyed by the tensor is a cache by object
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


SEEN = {}


def kernel_function(x):
    if x not in SEEN:
        y = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        SEEN[x] = y
    return SEEN[x]
