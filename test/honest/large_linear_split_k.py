# problem: linear_relu_large
# expect: accepted
# why: parts of the inner loop added up by atomics, the rest by a second launch
import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(x_ptr, w_ptr, acc_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.program_id(2) * BK, K, SPLIT * BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    tl.atomic_add(acc_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def finish_kernel(acc_ptr, b_ptr, y_ptr, n, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(acc_ptr + offs, mask=offs < n) + tl.load(b_ptr + offs % N, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(y < 0.0, 0.0, y), mask=offs < n)


def kernel_function(x, *, linear_weight, linear_bias):
    M, K = x.shape
    N = linear_weight.shape[0]
    acc = torch.zeros((M, N), device=x.device, dtype=torch.float32)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64), 4)
    product_kernel[grid](x, linear_weight, acc, M, N, K, BM=64, BN=64, BK=32, SPLIT=4)
    finish_kernel[(triton.cdiv(M * N, 1024),)](acc, linear_bias, y, M * N, N, BLOCK=1024)
    return y
