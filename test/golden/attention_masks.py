"""Triton kernels for attention_masks.py.

1. scaled_dot_product_attention_kernel: scaled_dot_product_attention over (batch_size*heads, queries, v_dim3) (ieee products)
2. neg_kernel: neg over (batch_size, heads, queries, q_dim3)
3. scaled_dot_product_attention_kernel_1: scaled_dot_product_attention over (batch_size*heads, queries, v_dim3) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def scaled_dot_product_attention_kernel(q_ptr, k_ptr, bias_ptr, v_ptr, out_ptr, queries, extent: tl.constexpr, extent_1: tl.constexpr, heads, keys, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        queries, heads, keys = tl.cast(queries, tl.int64), tl.cast(heads, tl.int64), tl.cast(keys, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(queries, BM)
    b = tile // down
    top = tile % down * BM
    m = top + tl.arange(0, BM)[:, None]
    step = tl.arange(0, BN)
    if WIDE:
        b = b.to(tl.int64)
        m = m.to(tl.int64)
        step = step.to(tl.int64)
    m_ok = m < queries
    d = tl.arange(0, BD)[None, :]
    d_ok = d < extent if extent < BD else tl.full(d.shape, True, tl.int1)
    e = tl.arange(0, BE)[None, :]
    e_ok = e < extent_1 if extent_1 < BE else tl.full(e.shape, True, tl.int1)
    q = tl.load(q_ptr + (b*extent*queries + d + m*extent), mask=d_ok & m_ok, other=0.0)
    at = tl.cast(extent, tl.int64)
    as_float32 = at.to(tl.float32)
    rsqrt = tl.rsqrt(as_float32)
    unit = 1.4426950408889634
    peak = tl.full((BM, 1), float("-inf"), tl.float32)
    total = tl.zeros((BM, 1), tl.float32)
    acc = tl.zeros((BM, BE), tl.float32)
    k_from = k_ptr + (b*keys*extent + d)
    b_rest = b % heads
    bias_from = bias_ptr + (b_rest*keys*queries + keys*m)
    v_from = v_ptr + (b*keys*extent_1 + e)
    whole = keys // BN * BN
    for edge in tl.static_range(2):
        for start in range(whole if edge else 0, keys if edge else whole, BN):
            n = start + step[None, :]
            nv = start + step[:, None]
            n_ok = n < keys if edge else tl.full(n.shape, True, tl.int1)
            nv_ok = nv < keys if edge else tl.full(nv.shape, True, tl.int1)
            k = tl.load(k_from + nv*extent, mask=d_ok & nv_ok, other=0.0)
            product = tl.dot(q, k.T, input_precision=PRECISION)
            mul = product * rsqrt
            bias = tl.load(bias_from + n, mask=m_ok & n_ok, other=0.0)
            add = mul + bias
            score = add
            if edge:
                score = tl.where(n_ok, score, float("-inf"))
            above = tl.maximum(peak, tl.max(score, axis=1)[:, None])
            shift = tl.where(above == float("-inf"), 0.0, above)
            weight = tl.exp2((score - shift) * unit)
            shrink = tl.exp2((peak - shift) * unit)
            total = total * shrink + tl.sum(weight, axis=1)[:, None]
            peak = above
            v = tl.load(v_from + nv*extent_1, mask=e_ok & nv_ok, other=0.0)
            acc = tl.dot(weight, v, acc * shrink, input_precision=PRECISION)
    eq = total == 0.0
    where = tl.where(eq, 1.0, total)
    acc = acc / where
    place = tl.broadcast_to(b*queries*extent_1 + e + m*extent_1, acc.shape)
    tl.store(out_ptr + place, acc, mask=e_ok & m_ok)


@triton.jit
def neg_kernel(q_ptr, out_ptr, batch_size, heads, extent, queries, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, heads, extent, queries = tl.cast(batch_size, tl.int64), tl.cast(heads, tl.int64), tl.cast(extent, tl.int64), tl.cast(queries, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < batch_size*heads*extent*queries
    q = tl.load(q_ptr + i, mask=i_ok, other=0.0)
    neg = -q
    tl.store(out_ptr + i, neg, mask=i_ok)


@triton.jit
def scaled_dot_product_attention_kernel_1(x_ptr, k_ptr, bias_ptr, v_ptr, out_ptr, queries, extent: tl.constexpr, extent_1: tl.constexpr, keys, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        queries, keys = tl.cast(queries, tl.int64), tl.cast(keys, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(queries, BM)
    b = tile // down
    top = tile % down * BM
    m = top + tl.arange(0, BM)[:, None]
    step = tl.arange(0, BN)
    if WIDE:
        b = b.to(tl.int64)
        m = m.to(tl.int64)
        step = step.to(tl.int64)
    m_ok = m < queries
    d = tl.arange(0, BD)[None, :]
    d_ok = d < extent if extent < BD else tl.full(d.shape, True, tl.int1)
    e = tl.arange(0, BE)[None, :]
    e_ok = e < extent_1 if extent_1 < BE else tl.full(e.shape, True, tl.int1)
    x = tl.load(x_ptr + (b*extent*queries + d + m*extent), mask=d_ok & m_ok, other=0.0)
    at = tl.cast(m, tl.int64)
    ne = at != 5
    as_int64 = ne.to(tl.int64)
    ne_1 = as_int64 != 0
    unit = 1.4426950408889634 * 0.3
    peak = tl.full((BM, 1), float("-inf"), tl.float32)
    total = tl.zeros((BM, 1), tl.float32)
    acc = tl.zeros((BM, BE), tl.float32)
    k_from = k_ptr + (b*keys*extent + d)
    bias_from = bias_ptr + keys*m
    v_from = v_ptr + (b*keys*extent_1 + e)
    whole = keys // BN * BN
    for edge in tl.static_range(2):
        for start in range(whole if edge else 0, keys if edge else whole, BN):
            n = start + step[None, :]
            nv = start + step[:, None]
            n_ok = n < keys if edge else tl.full(n.shape, True, tl.int1)
            nv_ok = nv < keys if edge else tl.full(nv.shape, True, tl.int1)
            k = tl.load(k_from + nv*extent, mask=d_ok & nv_ok, other=0.0)
            product = tl.dot(x, k.T, input_precision=PRECISION)
            score = product
            bias = tl.load(bias_from + n, mask=m_ok & n_ok, other=0.0)
            gt = bias > (-1.0)
            as_int64_1 = gt.to(tl.int64)
            ne_2 = as_int64_1 != 0
            flag = ne_2 & ne_1
            score = tl.where(flag, score, float("-inf"))
            if edge:
                score = tl.where(n_ok, score, float("-inf"))
            above = tl.maximum(peak, tl.max(score, axis=1)[:, None])
            shift = tl.where(above == float("-inf"), 0.0, above)
            weight = tl.exp2((score - shift) * unit)
            shrink = tl.exp2((peak - shift) * unit)
            total = total * shrink + tl.sum(weight, axis=1)[:, None]
            peak = above
            v = tl.load(v_from + nv*extent_1, mask=e_ok & nv_ok, other=0.0)
            acc = tl.dot(weight, v, acc * shrink, input_precision=PRECISION)
    eq = total == 0.0
    where = tl.where(eq, 1.0, total)
    acc = acc / where
    place = tl.broadcast_to(b*queries*extent_1 + e + m*extent_1, acc.shape)
    tl.store(out_ptr + place, acc, mask=e_ok & m_ok)


def kernel_function(q, k, v, bias):
    batch_size = q.shape[0]
    heads = q.shape[1]
    queries = q.shape[2]
    keys = k.shape[2]
    q_dim3 = q.shape[3]
    v_dim3 = v.shape[3]
    if k.shape != (batch_size, heads, keys, q_dim3):
        raise ValueError(f"k is {tuple(k.shape)}, where {(batch_size, heads, keys, q_dim3)} was expected")
    if v.shape != (batch_size, heads, keys, v_dim3):
        raise ValueError(f"v is {tuple(v.shape)}, where {(batch_size, heads, keys, v_dim3)} was expected")
    if bias.shape != (1, heads, queries, keys):
        raise ValueError(f"bias is {tuple(bias.shape)}, where {(1, heads, queries, keys)} was expected")
    q = q.contiguous()
    k = k.contiguous()
    v = v.contiguous()
    bias = bias.contiguous()
    device = q.device
    scaled_dot_product_attention = torch.empty((batch_size, heads, queries, v_dim3), dtype=torch.float32, device=device)
    scaled_dot_product_attention_kernel[((batch_size*heads) * triton.cdiv(queries, 32),)](
        q, k, bias, v, scaled_dot_product_attention, queries, q_dim3, v_dim3, heads, keys, BM=32, BN=32, BD=max(16, triton.next_power_of_2(q_dim3)), BE=max(16, triton.next_power_of_2(v_dim3)), PRECISION="ieee", WIDE=batch_size*heads*keys*q_dim3 + batch_size*heads*keys*v_dim3 + batch_size*heads*q_dim3*queries + batch_size*heads*queries*v_dim3 + heads*keys*queries >= 2**31, num_warps=4, num_stages=2,
    )
    neg = torch.empty((batch_size, heads, queries, q_dim3), dtype=torch.float32, device=device)
    neg_kernel[(triton.cdiv(batch_size*heads*q_dim3*queries, 1024),)](
        q, neg, batch_size, heads, q_dim3, queries, BLOCK=1024, WIDE=batch_size*heads*q_dim3*queries >= 2**31, num_warps=4, num_stages=2,
    )
    scaled_dot_product_attention_1 = torch.empty((batch_size, heads, queries, v_dim3), dtype=torch.float32, device=device)
    scaled_dot_product_attention_kernel_1[((batch_size*heads) * triton.cdiv(queries, 32),)](
        neg, k, bias, v, scaled_dot_product_attention_1, queries, q_dim3, v_dim3, keys, BM=32, BN=32, BD=max(16, triton.next_power_of_2(q_dim3)), BE=max(16, triton.next_power_of_2(v_dim3)), PRECISION="ieee", WIDE=batch_size*heads*keys*q_dim3 + batch_size*heads*keys*v_dim3 + batch_size*heads*q_dim3*queries + batch_size*heads*queries*v_dim3 + heads*keys*queries >= 2**31, num_warps=4, num_stages=2,
    )
    return (scaled_dot_product_attention, scaled_dot_product_attention_1,)
