# problem: linear_gelu
# expect: result.precision
# gpu-expect: result.precision result.mismatch
# why: GELU by the tanh formula where the program uses erf: differs by up to 5e-4
import torch
import triton
import triton.language as tl


@triton.jit
def linear_gelu_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
    w = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
    h = tl.dot(x, w, input_precision="ieee") + tl.load(b_ptr + rn, mask=rn < N, other=0.0)[None, :]
    u = 0.7978845608028654 * (h + 0.044715 * h * h * h)
    y = h / (1.0 + tl.exp(-2.0 * u))
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], y, mask=(rm[:, None] < M) & (rn[None, :] < N))


def kernel_function(x, fc_weight, fc_bias):
    M, K = x.shape
    N = fc_weight.shape[0]
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    linear_gelu_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](x, fc_weight, fc_bias, y, M, N, K, BM=16, BN=16, BK=triton.next_power_of_2(K))
    return y
