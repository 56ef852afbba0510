"""Triton kernels for attention.py.

1. linear_view_permute_kernel: linear, view, permute over (1, batch_size*length, 12*width_part) (ieee products)
2. cat_kernel: cat over (batch_size, 4, length, 2*((width_part + 1) // 2))
3. matmul_div_masked_fill_etc_kernel: matmul, div, masked_fill, softmax, matmul, transpose, linear over (4*batch_size, length, width_part) (ieee products)
4. linear_kernel: linear over (1, batch_size*length, 4*width_part) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def linear_view_permute_kernel(x_ptr, weight_ptr, out_ptr, batch_size, length, width_part, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, length, width_part = tl.cast(batch_size, tl.int64), tl.cast(length, tl.int64), tl.cast(width_part, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size*length, BM)
    across = tl.cdiv(12*width_part, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < batch_size*length
    n_ok = n < 12*width_part
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + 4*m*width_part
    weight_from = weight_ptr + 4*n*width_part
    for k in range(0, 4*width_part, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 4*width_part
        kb_ok = kb < 4*width_part
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    n_quotient = n // width_part
    n_rest = n_quotient % 4
    m_rest = m % length
    m_quotient = m // length
    n_rest_1 = n % width_part
    n_quotient_1 = n // (4*width_part)
    place = tl.broadcast_to(n_rest*length*width_part + m_rest*width_part + 4*m_quotient*length*width_part + n_rest_1 + 4*n_quotient_1*batch_size*length*width_part, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)


@triton.jit
def cat_kernel(x_ptr, out_ptr, out1_ptr, batch_size, length, width_part, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, length, width_part = tl.cast(batch_size, tl.int64), tl.cast(length, tl.int64), tl.cast(width_part, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 8*((width_part + 1) // 2)*batch_size*length
    i_rest = i % (2*((width_part + 1) // 2))
    i_quotient = i // (2*((width_part + 1) // 2))
    x = tl.load(x_ptr + (i_rest + i_quotient*width_part), mask=i_ok & (i_rest < ((width_part + 1) // 2)), other=0.0)
    i_rest_1 = i_quotient % length
    at = tl.cast(i_rest_1, tl.int64)
    as_float32 = at.to(tl.float32)
    at_1 = tl.cast(2*i_rest, tl.int64)
    neg = -at_1
    as_float32_1 = neg.to(tl.float32)
    at_2 = tl.cast(width_part, tl.int64)
    as_float32_2 = at_2.to(tl.float32)
    div = as_float32_1 / as_float32_2
    c = tl.full((), 10000.0, tl.float32)
    pow_1 = libdevice.pow(c, div)
    mul = as_float32 * pow_1
    cos = tl.cos(mul)
    mul_1 = x * cos
    x_1 = tl.load(x_ptr + (((width_part + 1) // 2) + i_rest + i_quotient*width_part), mask=i_ok & (i_rest < ((width_part + 1) // 2)), other=0.0)
    sin = tl.sin(mul)
    mul_2 = x_1 * sin
    mul_3 = mul_2 * 1.0
    sub = mul_1 - mul_3
    x_2 = tl.load(x_ptr + (i_rest + i_quotient*width_part), mask=i_ok & (((width_part + 1) // 2) < i_rest + 1), other=0.0)
    at_3 = tl.cast(i_rest_1, tl.int64)
    as_float32_3 = at_3.to(tl.float32)
    at_4 = tl.cast(-2*((width_part + 1) // 2) + 2*i_rest, tl.int64)
    neg_1 = -at_4
    as_float32_4 = neg_1.to(tl.float32)
    at_5 = tl.cast(width_part, tl.int64)
    as_float32_5 = at_5.to(tl.float32)
    div_1 = as_float32_4 / as_float32_5
    c_1 = tl.full((), 10000.0, tl.float32)
    pow_2 = libdevice.pow(c_1, div_1)
    mul_4 = as_float32_3 * pow_2
    cos_1 = tl.cos(mul_4)
    mul_5 = x_2 * cos_1
    x_3 = tl.load(x_ptr + (-((width_part + 1) // 2) + i_rest + i_quotient*width_part), mask=i_ok & (((width_part + 1) // 2) < i_rest + 1), other=0.0)
    sin_1 = tl.sin(mul_4)
    mul_6 = x_3 * sin_1
    mul_7 = mul_6 * 1.0
    add = mul_5 + mul_7
    joined = tl.where((i_rest < ((width_part + 1) // 2)), sub, add)
    tl.store(out_ptr + i, joined, mask=i_ok)
    x_4 = tl.load(x_ptr + (i_rest + i_quotient*width_part + 4*batch_size*length*width_part), mask=i_ok & (i_rest < ((width_part + 1) // 2)), other=0.0)
    mul_8 = x_4 * cos
    x_5 = tl.load(x_ptr + (((width_part + 1) // 2) + i_rest + i_quotient*width_part + 4*batch_size*length*width_part), mask=i_ok & (i_rest < ((width_part + 1) // 2)), other=0.0)
    mul_9 = x_5 * sin
    mul_10 = mul_9 * 1.0
    sub_1 = mul_8 - mul_10
    x_6 = tl.load(x_ptr + (i_rest + i_quotient*width_part + 4*batch_size*length*width_part), mask=i_ok & (((width_part + 1) // 2) < i_rest + 1), other=0.0)
    mul_11 = x_6 * cos_1
    x_7 = tl.load(x_ptr + (-((width_part + 1) // 2) + i_rest + i_quotient*width_part + 4*batch_size*length*width_part), mask=i_ok & (((width_part + 1) // 2) < i_rest + 1), other=0.0)
    mul_12 = x_7 * sin_1
    mul_13 = mul_12 * 1.0
    add_1 = mul_11 + mul_13
    joined_1 = tl.where((i_rest < ((width_part + 1) // 2)), sub_1, add_1)
    tl.store(out1_ptr + i, joined_1, mask=i_ok)


@triton.jit
def matmul_div_masked_fill_etc_kernel(x_ptr, x1_ptr, x2_ptr, out_ptr, length, width_part: tl.constexpr, batch_size, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        length, batch_size = tl.cast(length, tl.int64), tl.cast(batch_size, tl.int64)
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
    d_ok = d < 2*((width_part + 1) // 2) if 2*((width_part + 1) // 2) < BD else tl.full(d.shape, True, tl.int1)
    e = tl.arange(0, BE)[None, :]
    e_ok = e < width_part if width_part < BE else tl.full(e.shape, True, tl.int1)
    x = tl.load(x_ptr + (2*((width_part + 1) // 2)*b*length + 2*((width_part + 1) // 2)*m + d), mask=d_ok & m_ok, other=0.0)
    at = tl.cast(width_part, tl.int64)
    as_float32 = at.to(tl.float32)
    sqrt = tl.sqrt_rn(as_float32)
    unit = 1.4426950408889634 / sqrt
    peak = tl.full((BM, 1), float("-inf"), tl.float32)
    total = tl.zeros((BM, 1), tl.float32)
    acc = tl.zeros((BM, BE), tl.float32)
    x1_from = x1_ptr + (2*((width_part + 1) // 2)*b*length + d)
    x2_from = x2_ptr + (b*length*width_part + e)
    end = tl.minimum(length, top + BM)
    whole = tl.minimum(length, top + 1) // BN * BN
    for edge in tl.static_range(2):
        for start in range(whole if edge else 0, end if edge else whole, BN):
            n = start + step[None, :]
            nv = start + step[:, None]
            n_ok = n < length if edge else tl.full(n.shape, True, tl.int1)
            nv_ok = nv < length if edge else tl.full(nv.shape, True, tl.int1)
            x1 = tl.load(x1_from + 2*((width_part + 1) // 2)*nv, mask=d_ok & nv_ok, other=0.0)
            product = tl.dot(x, x1.T, input_precision=PRECISION)
            score = product
            if edge:
                score = tl.where((n <= m) & n_ok, score, float("-inf"))
            above = tl.maximum(peak, tl.max(score, axis=1)[:, None])
            shift = tl.where(above == float("-inf"), 0.0, above)
            weight = tl.exp2((score - shift) * unit)
            shrink = tl.exp2((peak - shift) * unit)
            total = total * shrink + tl.sum(weight, axis=1)[:, None]
            peak = above
            x2 = tl.load(x2_from + (8*batch_size*length*width_part + nv*width_part), mask=e_ok & nv_ok, other=0.0)
            acc = tl.dot(weight, x2, acc * shrink, input_precision=PRECISION)
    acc = acc / total
    b_rest = b % 4
    b_quotient = b // 4
    place = tl.broadcast_to(b_rest*width_part + 4*b_quotient*length*width_part + e + 4*m*width_part, acc.shape)
    tl.store(out_ptr + place, acc, mask=e_ok & m_ok)


@triton.jit
def linear_kernel(x_ptr, weight_ptr, out_ptr, batch_size, length, width_part, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, length, width_part = tl.cast(batch_size, tl.int64), tl.cast(length, tl.int64), tl.cast(width_part, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size*length, BM)
    across = tl.cdiv(4*width_part, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < batch_size*length
    n_ok = n < 4*width_part
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + 4*m*width_part
    weight_from = weight_ptr + 4*n*width_part
    for k in range(0, 4*width_part, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 4*width_part
        kb_ok = kb < 4*width_part
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    place = tl.broadcast_to(4*m*width_part + n, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)


def kernel_function(x, *, qkv_weight, out_weight):
    width = qkv_weight.shape[1]
    batch_size = x.shape[0]
    length = x.shape[1]
    width_part = (width // 4)
    if x.shape != (batch_size, length, 4*width_part):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch_size, length, 4*width_part)} was expected")
    qkv_weight = qkv_weight.contiguous()
    out_weight = out_weight.contiguous()
    x = x.contiguous()
    device = qkv_weight.device
    permute = torch.empty((3, batch_size, 4, length, width_part), dtype=torch.float32, device=device)
    linear_view_permute_kernel[(triton.cdiv(batch_size*length, 64) * triton.cdiv(12*width_part, 64),)](
        x, qkv_weight, permute, batch_size, length, width_part, BM=64, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=16*batch_size*length*width_part + 48*width_part*width_part >= 2**31, num_warps=4, num_stages=3,
    )
    cat = torch.empty((batch_size, 4, length, 2*((width_part + 1) // 2)), dtype=torch.float32, device=device)
    cat_1 = torch.empty((batch_size, 4, length, 2*((width_part + 1) // 2)), dtype=torch.float32, device=device)
    cat_kernel[(triton.cdiv(8*((width_part + 1) // 2)*batch_size*length, 1024),)](
        permute, cat, cat_1, batch_size, length, width_part, BLOCK=1024, WIDE=8*((width_part + 1) // 2)*batch_size*length >= 2**31, num_warps=4, num_stages=2,
    )
    linear = torch.empty((1, batch_size*length, 4*width_part), dtype=torch.float32, device=device)
    matmul_div_masked_fill_etc_kernel[((4*batch_size) * triton.cdiv(length, 32),)](
        cat, cat_1, permute, linear, length, width_part, batch_size, BM=32, BN=32, BD=max(16, triton.next_power_of_2(2*((width_part + 1) // 2))), BE=max(16, triton.next_power_of_2(width_part)), PRECISION="ieee", WIDE=16*((width_part + 1) // 2)*batch_size*length + 16*batch_size*length*width_part >= 2**31, num_warps=4, num_stages=2,
    )
    linear_1 = torch.empty((batch_size, length, 4*width_part), dtype=torch.float32, device=device)
    linear_kernel[(triton.cdiv(batch_size*length, 64) * triton.cdiv(4*width_part, 64),)](
        linear, out_weight, linear_1, batch_size, length, width_part, BM=64, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=8*batch_size*length*width_part + 16*width_part*width_part >= 2**31, num_warps=4, num_stages=3,
    )
    return linear_1
