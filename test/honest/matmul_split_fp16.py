# problem: matmul
# expect: accepted
# why: float32 operands are split into two float16 terms each; three products carry the accuracy of float32
import torch
import triton
import triton.language as tl


@triton.jit
def halves(x, SCALE: tl.constexpr):
    high = x.to(tl.float16)
    finite = tl.abs(x) < float("inf")
    low = tl.where(finite, (x - high.to(tl.float32)) * SCALE, 0.0).to(tl.float16)
    # infinity and NaN belong to the main product only: inf - inf would make NaN of inf
    return high, tl.where(finite, high, 0.0).to(tl.float16), low


@triton.jit
def row_scale(x):
    # a power of two that brings the row's peak near one, so that float16 neither overflows nor loses bits
    peak = tl.max(tl.abs(x), axis=1)
    safe = tl.where((peak > 1e-30) & (peak < 1e30), peak, 1.0)
    return tl.exp2(tl.floor(tl.log2(safe)))


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    SCALE: tl.constexpr = 2048.0
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        bt = tl.load(b_ptr + rk[None, :] * N + rn[:, None], mask=(rk[None, :] < K) & (rn[:, None] < N), other=0.0)
        sa = row_scale(a)
        sb = row_scale(bt)
        ah, af, al = halves(a / sa[:, None], SCALE)
        bh, bf, bl = halves(bt / sb[:, None], SCALE)
        cross = tl.dot(af, tl.trans(bl)) + tl.dot(al, tl.trans(bf))
        acc += (tl.dot(ah, tl.trans(bh)) + cross * (1.0 / SCALE)) * sa[:, None] * sb[None, :]
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def kernel_function(a, b):
    c = torch.empty((a.shape[0], b.shape[1]), device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(a.shape[0], 16), triton.cdiv(b.shape[1], 16))
    matmul_kernel[grid](a, b, c, a.shape[0], b.shape[1], a.shape[1], BM=16, BN=16, BK=32)
    return c
