# problem: softmax_large
# expect: result.mismatch
# why: every element is written, but the sum is that of the first columns
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + offs, mask=offs < N, other=-float("inf"))
    top = tl.max(x, 0)
    total = tl.sum(tl.exp(x - top), 0)
    for start in range(0, N, BLOCK):
        at = start + offs
        x = tl.load(x_ptr + row * N + at, mask=at < N, other=-float("inf"))
        tl.store(y_ptr + row * N + at, tl.exp(x - top) / total, mask=at < N)


def kernel_function(x):
    y = torch.empty_like(x)
    M, N = x.shape
    softmax_kernel[(M,)](x, y, N, BLOCK=1024)
    return y
