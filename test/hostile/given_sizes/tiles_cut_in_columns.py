# problem: relu_large
# expect: result.unwritten
# gpu-expect: result.unwritten result.mismatch
# why: tiles for the first columns only
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    cols = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(x_ptr + rows * N + cols, mask=mask)
    tl.store(y_ptr + rows * N + cols, tl.where(x < 0.0, 0.0, x), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    M, N = x.shape
    relu_kernel[(triton.cdiv(M, 32), min(triton.cdiv(N, 128), 8))](x, y, M, N, BM=32, BN=128)
    return y
