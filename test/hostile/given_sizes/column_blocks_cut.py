# problem: column_means_large
# expect: result.unwritten
# gpu-expect: result.unwritten result.mismatch
# why: as many columns as 16 programs can do
import torch
import triton
import triton.language as tl


@triton.jit
def means_kernel(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, M, BM):
        rows = start + tl.arange(0, BM)
        acc += tl.load(x_ptr + rows[:, None] * N + cols[None, :], mask=(rows[:, None] < M) & (cols[None, :] < N), other=0.0)
    tl.store(y_ptr + cols, tl.sum(acc, 0) / M, mask=cols < N)


def kernel_function(x):
    M, N = x.shape
    y = torch.empty((N,), device=x.device, dtype=x.dtype)
    means_kernel[(min(triton.cdiv(N, 64), 16),)](x, y, M, N, BM=64, BN=64)
    return y
