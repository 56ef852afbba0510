# problem: linear_relu_large
# expect: accepted
# why: a fixed number of programs, each of which takes several tiles
import torch
import triton
import triton.language as tl


@triton.jit
def linear_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    columns = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * columns, tl.num_programs(0)):
        tile_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, tile // columns, tile % columns, BM, BN, BK)


@triton.jit
def tile_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, i, j, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = i * BM + tl.arange(0, BM)
    rn = j * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    acc += tl.load(b_ptr + rn, mask=rn < N, other=0.0)[None, :]
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], tl.where(acc < 0.0, 0.0, acc), mask=mask)


def kernel_function(x, *, linear_weight, linear_bias):
    M, K = x.shape
    N = linear_weight.shape[0]
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    linear_kernel[(24,)](x, linear_weight, linear_bias, y, M, N, K, BM=64, BN=64, BK=64)
    return y
