# The program: scaled_dot_product_attention(q, k, v), shapes (batch, heads, length, D): no matrix of scores is ever stored.
import math

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, LQ, LK, scale, D, BD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, PRECISION: tl.constexpr):
    head = tl.program_id(1).to(tl.int64)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, BD)  # a power of two; columns behind D are zeros and change no product
    d_ok = d < D
    m_ok = (m[:, None] < LQ) & d_ok[None, :]
    q = tl.load(q_ptr + (head * LQ + m[:, None]) * D + d[None, :], mask=m_ok, other=0.0)
    peak = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, BD), tl.float32)
    for start in range(0, LK, BN):
        n = start + tl.arange(0, BN)
        n_ok = n < LK
        k = tl.load(k_ptr + (head * LK + n[None, :]) * D + d[:, None], mask=n_ok[None, :] & d_ok[:, None], other=0.0)
        scores = tl.dot(q, k, input_precision=PRECISION) * scale
        scores = tl.where(n_ok[None, :], scores, float("-inf"))
        # A running softmax: what was summed before shrinks when a larger score comes.
        new_peak = tl.maximum(peak, tl.max(scores, axis=1))
        shrink = tl.exp(peak - new_peak)
        p = tl.exp(scores - new_peak[:, None])
        total = total * shrink + tl.sum(p, axis=1)
        v = tl.load(v_ptr + (head * LK + n[:, None]) * D + d[None, :], mask=n_ok[:, None] & d_ok[None, :], other=0.0)
        out = out * shrink[:, None] + tl.dot(p.to(v.dtype), v, input_precision=PRECISION)
        peak = new_peak
    out = out / total[:, None]
    tl.store(o_ptr + (head * LQ + m[:, None]) * D + d[None, :], out.to(o_ptr.dtype.element_ty), mask=m_ok)


def kernel_function(q, k, v):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    batch, heads, LQ, D = q.shape
    LK = k.shape[2]
    out = torch.empty_like(q)
    BM, BN, BD = 64, 32, max(16, triton.next_power_of_2(D))
    grid = (triton.cdiv(LQ, BM), batch * heads)
    attention_kernel[grid](q, k, v, out, LQ, LK, 1.0 / math.sqrt(D), D, BD=BD, BM=BM, BN=BN, PRECISION="ieee", num_warps=4, num_stages=2)
    return out
