# problem: matmul_int8
# expect: accepted
# gpu: skip PyTorch has no product of integer matrices on CUDA
# why: integer products accumulated in int32, scaled at the end
import torch, triton
import triton.language as tl


@triton.jit
def i8(a, b, sa, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * K + rk, mask=(rm[:, None] < M) & (rk < K)[None, :], other=0)
        y = tl.load(b + rk[:, None] * N + rn, mask=(rk[:, None] < K) & (rn < N)[None, :], other=0)
        acc += tl.dot(x, y, out_dtype=tl.int32)
    out = acc.to(tl.float32) * tl.load(sa + rm, mask=rm < M, other=0.0)[:, None] * tl.load(sb + rn, mask=rn < N, other=0.0)[None, :]
    tl.store(c + rm[:, None] * N + rn, out, mask=(rm[:, None] < M) & (rn < N)[None, :])


def kernel_function(a, b, sa, sb):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty(M, N, dtype=torch.float32, device=a.device)
    i8[(triton.cdiv(M, 32), triton.cdiv(N, 32))](a, b, sa, sb, c, M, N, K, 32, 32, 32)
    return c
