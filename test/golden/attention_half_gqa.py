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
    top = (down - 1 - tile % down) * BM
    m = top + tl.arange(0, BM)[:, None]
    step = tl.arange(0, BN)
    if WIDE:
        b = b.to(tl.int64)
        m = m.to(tl.int64)
        step = step.to(tl.int64)
    m_ok = m < length
    d = tl.arange(0, BD)[None, :]
    e = tl.arange(0, BE)[None, :]
    q = tl.load(q_ptr + (32*b*length + d + 32*m), mask=m_ok, other=0.0)
    c = tl.full((), 32.0, tl.float32)
    rsqrt = tl.rsqrt(c)
    unit = 1.4426950408889634 * rsqrt
    peak = tl.full((BM, 1), float("-inf"), tl.float32)
    total = tl.zeros((BM, 1), tl.float32)
    acc = tl.zeros((BM, BE), tl.float32)
    b_rest = b % 4
    b_quotient = b_rest // (4 // extent)
    b_quotient_1 = b // 4
    k_from = k_ptr + (32*b_quotient*length + 32*b_quotient_1*extent*length + d)
    v_from = v_ptr + (32*b_quotient*length + 32*b_quotient_1*length*extent_1 + e)
    end = tl.minimum(length, top + BM)
    whole = tl.minimum(length, top + 1) // BN * BN
    for edge in tl.static_range(2):
        for start in range(whole if edge else 0, end if edge else whole, BN):
            n = start + step[None, :]
            nv = start + step[:, None]
            n_ok = n < length if edge else tl.full(n.shape, True, tl.int1)
            nv_ok = nv < length if edge else tl.full(nv.shape, True, tl.int1)
            k = tl.load(k_from + 32*nv, mask=nv_ok, other=0.0)
            product = tl.dot(q, k.T)
            score = product
            if edge:
                score = tl.where((n <= m) & n_ok, score, float("-inf"))
            above = tl.maximum(peak, tl.max(score, axis=1)[:, None] * unit)
            shift = tl.where(above == float("-inf"), 0.0, above)
            weight = tl.exp2(score * unit - shift)
            shrink = tl.exp2(peak - shift)
            total = total * shrink + tl.sum(weight, axis=1)[:, None]
            peak = above
            v = tl.load(v_from + 32*nv, mask=nv_ok, other=0.0)
            acc = tl.dot(weight.to(tl.bfloat16), v, acc * shrink)
    acc = acc / total
    mul = acc * 2.0
    place = tl.broadcast_to(32*b_rest + 128*b_quotient_1*length + e + 128*m, mul.shape)
    tl.store(out_ptr + place, mul, mask=m_ok)


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
    scaled_dot_product_attention_transpose_reshape_mul_kernel[((4*batch_size) * triton.cdiv(length, 64),)](
        q, k, v, mul, length, k_size_dim1, v_dim1, BM=64, BN=64, BD=32, BE=32, WIDE=32*batch_size*k_size_dim1*length + 256*batch_size*length + 32*batch_size*length*v_dim1 >= 2**31, num_warps=4, num_stages=3,
    )
    return mul
