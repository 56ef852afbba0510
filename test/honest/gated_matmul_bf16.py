# problem: gated_matmul_bf16
# expect: accepted
# why: two accumulators in float32, rounded once
import torch
import triton
import triton.language as tl


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def sg(x, g, u, y, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    a1 = tl.zeros((BM, BN), tl.float32)
    a2 = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        xv = tl.load(x + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        wm = (rk[:, None] < K) & (rn[None, :] < N)
        a1 += tl.dot(xv, tl.load(g + rk[:, None] * N + rn[None, :], mask=wm, other=0.0))
        a2 += tl.dot(xv, tl.load(u + rk[:, None] * N + rn[None, :], mask=wm, other=0.0))
    tl.store(y + rm[:, None] * N + rn[None, :], (silu(a1) * a2).to(tl.bfloat16), mask=(rm[:, None] < M) & (rn[None, :] < N))


def kernel_function(x, gate, up):
    M, K = x.shape
    N = gate.shape[1]
    y = torch.empty((M, N), device=x.device, dtype=torch.bfloat16)
    sg[(triton.cdiv(M, 16), triton.cdiv(N, 16))](x, gate, up, y, M, N, K, BM=16, BN=16, BK=32)
    return y
