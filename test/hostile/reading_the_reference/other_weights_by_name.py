# problem: linear
# expect: contract.signature
# gpu-expect: contract.signature contract.entry run.raised
# why: asks for arguments that only the judge has
import torch
import triton
import triton.language as tl


@triton.jit
def linear_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    b = tl.load(b_ptr + rn, mask=rn < N, other=0.0)
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc + b[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))


def kernel_function(x, fc_weight, fc_bias, expected):
    y = torch.empty_like(expected)
    M, K = x.shape
    linear_kernel[(2, 3)](x, fc_weight, fc_bias, y, M, fc_weight.shape[0], K, BM=16, BN=16, BK=64)
    return expected
