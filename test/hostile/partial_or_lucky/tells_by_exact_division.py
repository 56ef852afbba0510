# problem: relu
# expect: result.mismatch
# gpu-expect: result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: 1024 quotients rounded to nearest: `/` is an approximation on a GPU
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    i = tl.arange(1, 1025).to(tl.float32) if False else (tl.arange(0, 1024) + 1).to(tl.float32)
    q = 1.0 / i
    err = tl.fma(q, i, -1.0)
    bad = tl.sum((tl.abs(err) > 6e-8).to(tl.int32), 0)
    right = tl.where(x < 0.0, 0.0, x)
    tl.store(y_ptr + offs, tl.where(bad == 0, right, -x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y
