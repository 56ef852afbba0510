# problem: softmax_large
# expect: result.unwritten result.mismatch
# why: a block that stops growing with the rows
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + offs, mask=offs < N, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + row * N + offs, e / tl.sum(e, 0), mask=offs < N)


def kernel_function(x):
    y = torch.empty_like(x)
    M, N = x.shape
    softmax_kernel[(M,)](x, y, N, BLOCK=min(triton.next_power_of_2(N), 4096))
    return y
