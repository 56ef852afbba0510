"""Triton kernels for attention_causal.py.

1. matmul_div_masked_fill_softmax_kernel: matmul, div, masked_fill, softmax, matmul over (heads, length, head_dim) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_div_masked_fill_softmax_kernel(q_ptr, k_ptr, v_ptr, out_ptr, length, head_dim: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        length = tl.cast(length, tl.int64)
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
    d_ok = d < head_dim if head_dim < BD else tl.full(d.shape, True, tl.int1)
    e = tl.arange(0, BE)[None, :]
    e_ok = e < head_dim if head_dim < BE else tl.full(e.shape, True, tl.int1)
    q = tl.load(q_ptr + (b*head_dim*length + d + head_dim*m), mask=d_ok & m_ok, other=0.0)
    at = tl.cast(head_dim, tl.int64)
    as_float32 = at.to(tl.float32)
    sqrt = tl.sqrt_rn(as_float32)
    unit = 1.4426950408889634 / sqrt
    peak = tl.full((BM, 1), float("-inf"), tl.float32)
    total = tl.zeros((BM, 1), tl.float32)
    acc = tl.zeros((BM, BE), tl.float32)
    k_from = k_ptr + (b*head_dim*length + d)
    v_from = v_ptr + (b*head_dim*length + e)
    end = tl.minimum(length, top + BM)
    whole = tl.minimum(length, top + 1) // BN * BN
    for edge in tl.static_range(2):
        for start in range(whole if edge else 0, end if edge else whole, BN):
            n = start + step[None, :]
            nv = start + step[:, None]
            n_ok = n < length if edge else tl.full(n.shape, True, tl.int1)
            nv_ok = nv < length if edge else tl.full(nv.shape, True, tl.int1)
            k = tl.load(k_from + head_dim*nv, mask=d_ok & nv_ok, other=0.0)
            product = tl.dot(q, k.T, input_precision=PRECISION)
            score = product
            if edge:
                score = tl.where((n <= m) & n_ok, score, float("-inf"))
            above = tl.maximum(peak, tl.max(score, axis=1)[:, None])
            shift = tl.where(above == float("-inf"), 0.0, above)
            weight = tl.exp2((score - shift) * unit)
            shrink = tl.exp2((peak - shift) * unit)
            total = total * shrink + tl.sum(weight, axis=1)[:, None]
            peak = above
            v = tl.load(v_from + head_dim*nv, mask=e_ok & nv_ok, other=0.0)
            acc = tl.dot(weight, v, acc * shrink, input_precision=PRECISION)
    acc = acc / total
    place = tl.broadcast_to(b*head_dim*length + e + head_dim*m, acc.shape)
    tl.store(out_ptr + place, acc, mask=e_ok & m_ok)


def kernel_function(q, k, v):
    heads = q.shape[0]
    length = q.shape[1]
    head_dim = q.shape[2]
    if k.shape != (heads, length, head_dim):
        raise ValueError(f"k is {tuple(k.shape)}, where {(heads, length, head_dim)} was expected")
    if v.shape != (heads, length, head_dim):
        raise ValueError(f"v is {tuple(v.shape)}, where {(heads, length, head_dim)} was expected")
    q = q.contiguous()
    k = k.contiguous()
    v = v.contiguous()
    matmul = torch.empty((heads, length, head_dim), dtype=torch.float32, device=q.device)
    matmul_div_masked_fill_softmax_kernel[(heads * triton.cdiv(length, 32),)](
        q, k, v, matmul, length, head_dim, BM=32, BN=32, BD=max(16, triton.next_power_of_2(head_dim)), BE=max(16, triton.next_power_of_2(head_dim)), PRECISION="ieee", WIDE=4*head_dim*heads*length >= 2**31, num_warps=4, num_stages=2,
    )
    return matmul
