"""Triton kernels for attention_half_gqa.py.

1. scaled_dot_product_attention_transpose_reshape_mul_kernel: scaled_dot_product_attention, transpose, reshape, mul over (4*batch_size, length, 32) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def scaled_dot_product_attention_transpose_reshape_mul_kernel(q_ptr, k_ptr, v_ptr, out_ptr, length, extent, extent_1, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        length, extent, extent_1 = tl.cast(length, tl.int64), tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(length, BM)
    b = tile // down
    m = (tile % down) * BM + tl.arange(0, BM)[:, None]
    step = tl.arange(0, BN)
    if WIDE:
        b = b.to(tl.int64)
        m = m.to(tl.int64)
        step = step.to(tl.int64)
    dq = tl.arange(0, BD)[None, :]
    dk = tl.arange(0, BD)[:, None]
    e = tl.arange(0, BE)[None, :]
    m_ok = m < length
    dq_ok = dq < 32
    dk_ok = dk < 32
    e_ok = e < 32
    q = tl.load(q_ptr + (32*b*length + dq + 32*m), mask=dq_ok & m_ok, other=0.0)
    peak = tl.full((BM, 1), float("-inf"), tl.float32)
    total = tl.zeros((BM, 1), tl.float32)
    acc = tl.zeros((BM, BE), tl.float32)
    end = tl.minimum(length, (tile % down) * BM + BM)
    for start in range(0, end, BN):
        n = start + step[None, :]
        nv = start + step[:, None]
        n_ok = n < length
        nv_ok = nv < length
        b_rest = b % 4
        b_quotient = b_rest // (4 // extent)
        b_quotient_1 = b // 4
        k = tl.load(k_ptr + (32*b_quotient*length + 32*b_quotient_1*extent*length + dk + 32*n), mask=dk_ok & n_ok, other=0.0)
        product = tl.dot(q, k)
        at = tl.cast(-m + n, tl.int64)
        le = at <= 0
        c = tl.full((), 32.0, tl.float32)
        rsqrt = tl.rsqrt(c)
        mul = product * rsqrt
        where = tl.where(le, mul, float("-inf"))
        score = tl.where(n_ok, tl.broadcast_to(where, (BM, BN)), float("-inf"))
        above = tl.maximum(peak, tl.max(score, axis=1)[:, None])
        shift = tl.where(above == float("-inf"), 0.0, above)
        weight = tl.exp(score - shift)
        shrink = tl.exp(peak - shift)
        total = total * shrink + tl.sum(weight, axis=1)[:, None]
        peak = above
        v = tl.load(v_ptr + (32*b_quotient*length + 32*b_quotient_1*length*extent_1 + e + 32*nv), mask=e_ok & nv_ok, other=0.0)
        acc = tl.dot(weight.to(tl.bfloat16), v, acc * shrink)
    acc = acc / total
    mul_1 = acc * 2.0
    b_rest_1 = b % 4
    b_quotient_2 = b // 4
    place = tl.broadcast_to(32*b_rest_1 + 128*b_quotient_2*length + e + 128*m, mul_1.shape)
    tl.store(out_ptr + place, mul_1, mask=m_ok & e_ok)


def kernel_function(q, k, v):
    batch_size = q.shape[0]
    length = q.shape[2]
    k_size_dim1 = k.shape[1]
    v_dim1 = v.shape[1]
    if q.shape != (batch_size, 4, length, 32):
        raise ValueError(f"q is {tuple(q.shape)}, where {(batch_size, 4, length, 32)} was expected")
    if k.shape != (batch_size, k_size_dim1, length, 32):
        raise ValueError(f"k is {tuple(k.shape)}, where {(batch_size, k_size_dim1, length, 32)} was expected")
    if v.shape != (batch_size, v_dim1, length, 32):
        raise ValueError(f"v is {tuple(v.shape)}, where {(batch_size, v_dim1, length, 32)} was expected")
    q = q.contiguous()
    k = k.contiguous()
    v = v.contiguous()
    mul = torch.empty((batch_size, length, 128), dtype=torch.bfloat16, device=q.device)
    scaled_dot_product_attention_transpose_reshape_mul_kernel[((4*batch_size) * triton.cdiv(length, 32),)](
        q, k, v, mul, length, k_size_dim1, v_dim1, BM=32, BN=64, BD=32, BE=32, WIDE=512*batch_size*length + 4*batch_size*length*length >= 2**31, num_warps=4, num_stages=2,
    )
    return mul
