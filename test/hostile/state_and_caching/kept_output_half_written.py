# problem: relu
# expect: contract.alias
# gpu-expect: result.mismatch result.repeat result.cached contract.alias
# why: the output buffer is kept and given back again; from the second call on only its first half is written
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


KEPT = []


def kernel_function(x):
    n = x.numel()
    if not KEPT:
        KEPT.append(torch.empty_like(x))
    else:
        n = n // 2
    relu_kernel[(triton.cdiv(n, 1024),)](x, KEPT[0], n, BLOCK=1024)
    return KEPT[0]
