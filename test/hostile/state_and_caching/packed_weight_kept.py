# problem: linear
# expect: result.mismatch
# gpu-expect: result.cached result.mismatch
# why: a transposed copy of the weight is made at the first call and kept: a changed weight is never seen
import torch
import triton
import triton.language as tl


@triton.jit
def pack_kernel(w_ptr, p_ptr, N, K, BN: tl.constexpr, BK: tl.constexpr):
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    mask = (rn[:, None] < N) & (rk[None, :] < K)
    tl.store(p_ptr + rk[None, :] * N + rn[:, None], tl.load(w_ptr + rn[:, None] * K + rk[None, :], mask=mask), mask=mask)


@triton.jit
def linear_kernel(x_ptr, p_ptr, b_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
    w = tl.load(p_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
    y = tl.dot(x, w, input_precision="ieee") + tl.load(b_ptr + rn, mask=rn < N, other=0.0)[None, :]
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], y, mask=(rm[:, None] < M) & (rn[None, :] < N))


PACKED = {}


def kernel_function(x, fc_weight, fc_bias):
    M, K = x.shape
    N = fc_weight.shape[0]
    if "w" not in PACKED:
        PACKED["w"] = torch.empty((K, N), dtype=x.dtype, device=x.device)
        pack_kernel[(triton.cdiv(N, 16),)](fc_weight, PACKED["w"], N, K, BN=16, BK=64)
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    linear_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](x, PACKED["w"], fc_bias, y, M, N, K, BM=16, BN=16, BK=64)
    return y
