"""Triton kernels for attention_causal.py.

1. matmul_div_masked_fill_softmax_kernel: matmul, div, masked_fill, softmax, matmul over (heads, length, head_dim) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def matmul_div_masked_fill_softmax_kernel(q_ptr, k_ptr, v_ptr, out_ptr, length, head_dim, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        length, head_dim = tl.cast(length, tl.int64), tl.cast(head_dim, tl.int64)
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
    dq_ok = dq < head_dim
    dk_ok = dk < head_dim
    e_ok = e < head_dim
    q = tl.load(q_ptr + (b*head_dim*length + dq + head_dim*m), mask=dq_ok & m_ok, other=0.0)
    peak = tl.full((BM, 1), float("-inf"), tl.float32)
    total = tl.zeros((BM, 1), tl.float32)
    acc = tl.zeros((BM, BE), tl.float32)
    end = tl.minimum(length, (tile % down) * BM + BM)
    for start in range(0, end, BN):
        n = start + step[None, :]
        nv = start + step[:, None]
        n_ok = n < length
        nv_ok = nv < length
        k = tl.load(k_ptr + (b*head_dim*length + dk + head_dim*n), mask=dk_ok & n_ok, other=0.0)
        product = tl.dot(q, k, input_precision=PRECISION)
        at = tl.cast(-m + n, tl.int64)
        le = at <= 0
        where = tl.where(le, 1, 0)
        flag = where != 0
        flag_1 = flag == 0
        at_1 = tl.cast(head_dim, tl.int64)
        as_float32 = at_1.to(tl.float32)
        sqrt = tl.sqrt_rn(as_float32)
        div_rn = tl.div_rn(product, sqrt)
        where_1 = tl.where(flag_1, float("-inf"), div_rn)
        score = tl.where(n_ok, tl.broadcast_to(where_1, (BM, BN)), float("-inf"))
        above = tl.maximum(peak, tl.max(score, axis=1)[:, None])
        shift = tl.where(above == float("-inf"), 0.0, above)
        weight = tl.exp(score - shift)
        shrink = tl.exp(peak - shift)
        total = total * shrink + tl.sum(weight, axis=1)[:, None]
        peak = above
        v = tl.load(v_ptr + (b*head_dim*length + e + head_dim*nv), mask=e_ok & nv_ok, other=0.0)
        acc = tl.dot(weight, v, acc * shrink, input_precision=PRECISION)
    acc = acc / total
    place = tl.broadcast_to(b*head_dim*length + e + head_dim*m, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & e_ok)


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
        q, k, v, matmul, length, head_dim, BM=32, BN=32, BD=max(16, triton.next_power_of_2(head_dim)), BE=max(16, triton.next_power_of_2(head_dim)), PRECISION="ieee", WIDE=4*head_dim*heads*length + heads*length*length >= 2**31, num_warps=4, num_stages=2,
    )
    return matmul
