# problem: linear
# expect: accepted
# why: the kernel is called `linear` and its wrapper `matmul`, the names of the torch functions they replace
import torch
import triton
import triton.language as tl


@triton.jit
def linear(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    b = tl.load(b_ptr + rn, mask=rn < N, other=0.0)
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc + b[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))


def matmul(x, weight, bias):
    M, K = x.shape
    N = weight.shape[0]
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    linear[(triton.cdiv(M, 16), triton.cdiv(N, 16))](x, weight, bias, y, M, N, K, BM=16, BN=16, BK=32)
    return y


def kernel_function(x, fc_weight, fc_bias):
    return matmul(x, fc_weight, fc_bias)
