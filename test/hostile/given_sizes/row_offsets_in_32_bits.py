# problem: bytes_large
# expect: result.bounds
# gpu-expect: result.bounds run.crash run.raised result.unwritten result.mismatch
# why: rows times columns in 32 bits
import torch
import triton
import triton.language as tl


@triton.jit
def flip_kernel(x_ptr, y_ptr, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + cols, mask=cols < N)
        tl.store(y_ptr + row * N + cols, x ^ 85, mask=cols < N)


def kernel_function(x):
    y = torch.empty_like(x)
    M, N = x.shape
    flip_kernel[(M,)](x, y, M, N, BLOCK=8192)
    return y
