# problem: relu
# expect: guard.compute
# why: a kernel computes the fingerprint; reading it back on the host is still host computing
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


@triton.jit
def fingerprint_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


SEEN = {}


def kernel_function(x):
    mark = torch.empty((1,), device=x.device)
    fingerprint_kernel[(1,)](x, mark, x.numel(), BLOCK=8192)
    key = float(mark[0])
    if key not in SEEN:
        y = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        SEEN[key] = y
    return SEEN[key]
