# problem: relu
# expect: result.repeat
# gpu-expect: result.mismatch result.unwritten result.repeat result.cached
# why: a call counter: the first call is right, later ones write half
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


CALLS = []


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel() if not CALLS else x.numel() // 2
    CALLS.append(1)
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
