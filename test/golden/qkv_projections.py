"""Triton kernels for qkv_projections.py.

1. linear_view_transpose_linalg_vector_norm_kernel (2 side by side): linear, view, transpose, linalg_vector_norm over (1, batch*length, query_weight_dim0) (ieee products)
2. linear_view_transpose_scaled_dot_product_attention_kernel: linear, view, transpose, scaled_dot_product_attention over (1, batch*length, query_weight_dim0) (ieee products)
3. linalg_vector_norm_clamp_min_kernel (2 side by side): linalg_vector_norm, clamp_min over (batch, (query_weight_dim0 // depth), length, ((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length)))
4. mul_kernel: mul over (batch, (query_weight_dim0 // depth), length, depth)
5. scaled_dot_product_attention_transpose_linear_kernel: scaled_dot_product_attention, transpose, linear over ((query_weight_dim0 // depth)*batch, length, ((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length))) (ieee products)
6. linear_add_kernel: linear, add over (1, batch*length, query_weight_dim0) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def linear_view_transpose_linalg_vector_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, out1_ptr, batch, length, extent, depth, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, length, extent, depth = tl.cast(batch, tl.int64), tl.cast(length, tl.int64), tl.cast(extent, tl.int64), tl.cast(depth, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*length, BM)
    across = tl.cdiv(extent, BN)
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
    m_ok = m < batch*length
    n_ok = n < extent
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + m*extent
    weight_from = weight_ptr + n*extent
    for k in range(0, extent, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < extent
        kb_ok = kb < extent
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    mul = add * add
    m_quotient = (m*extent + n) // (((batch*length*extent) // ((extent // depth)*batch*length))*(extent // depth))
    m_rest = m_quotient % length
    m_quotient_1 = (m*extent + n) // ((batch*length*extent) // ((extent // depth)*batch*length))
    m_rest_1 = m_quotient_1 % (extent // depth)
    m_quotient_2 = (m*extent + n) // (((batch*length*extent) // ((extent // depth)*batch*length))*(extent // depth)*length)
    m_rest_2 = (m*extent + n) % ((batch*length*extent) // ((extent // depth)*batch*length))
    place = tl.broadcast_to(m_rest*((batch*length*extent) // ((extent // depth)*batch*length)) + m_rest_1*((batch*length*extent) // ((extent // depth)*batch*length))*length + ((batch*length*extent) // ((extent // depth)*batch*length))*m_quotient_2*(extent // depth)*length + m_rest_2, mul.shape)
    tl.store(out_ptr + place, mul, mask=m_ok & n_ok)
    place_1 = tl.broadcast_to(m_rest*((batch*length*extent) // ((extent // depth)*batch*length)) + m_rest_1*((batch*length*extent) // ((extent // depth)*batch*length))*length + ((batch*length*extent) // ((extent // depth)*batch*length))*m_quotient_2*(extent // depth)*length + m_rest_2, add.shape)
    tl.store(out1_ptr + place_1, add, mask=m_ok & n_ok)


@triton.jit
def linear_view_transpose_linalg_vector_norm_kernel_x2(x_ptr, weight_ptr, bias_ptr, out_ptr, out1_ptr, weight_ptr_1, bias_ptr_1, out_ptr_1, out1_ptr_1, batch, length, extent, depth, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    member = tl.program_id(1)
    if member == 1:
        weight_ptr, bias_ptr, out_ptr, out1_ptr = weight_ptr_1, bias_ptr_1, out_ptr_1, out1_ptr_1
    linear_view_transpose_linalg_vector_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, out1_ptr, batch, length, extent, depth, BM, BN, BK, GROUP, PRECISION, WIDE)


@triton.jit
def linear_view_transpose_scaled_dot_product_attention_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch, length, extent, depth, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, length, extent, depth = tl.cast(batch, tl.int64), tl.cast(length, tl.int64), tl.cast(extent, tl.int64), tl.cast(depth, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*length, BM)
    across = tl.cdiv(extent, BN)
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
    m_ok = m < batch*length
    n_ok = n < extent
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + m*extent
    weight_from = weight_ptr + n*extent
    for k in range(0, extent, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < extent
        kb_ok = kb < extent
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    m_quotient = (m*extent + n) // (((batch*length*extent) // ((extent // depth)*batch*length))*(extent // depth))
    m_rest = m_quotient % length
    m_quotient_1 = (m*extent + n) // ((batch*length*extent) // ((extent // depth)*batch*length))
    m_rest_1 = m_quotient_1 % (extent // depth)
    m_quotient_2 = (m*extent + n) // (((batch*length*extent) // ((extent // depth)*batch*length))*(extent // depth)*length)
    m_rest_2 = (m*extent + n) % ((batch*length*extent) // ((extent // depth)*batch*length))
    place = tl.broadcast_to(m_rest*((batch*length*extent) // ((extent // depth)*batch*length)) + m_rest_1*((batch*length*extent) // ((extent // depth)*batch*length))*length + ((batch*length*extent) // ((extent // depth)*batch*length))*m_quotient_2*(extent // depth)*length + m_rest_2, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit
def linalg_vector_norm_clamp_min_kernel(x_ptr, out_ptr, batch, depth, length, extent, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, depth, length, extent = tl.cast(batch, tl.int64), tl.cast(depth, tl.int64), tl.cast(length, tl.int64), tl.cast(extent, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < (extent // depth)*batch*length
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < ((batch*length*extent) // ((extent // depth)*batch*length))
    x = tl.load(x_ptr + (((batch*length*extent) // ((extent // depth)*batch*length))*row + col), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    sqrt = tl.sqrt_rn(total)
    maximum = tl.maximum(sqrt, 1e-12, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + row, maximum, mask=row_ok)


@triton.jit
def linalg_vector_norm_clamp_min_kernel_x2(x_ptr, out_ptr, x_ptr_1, out_ptr_1, batch, depth, length, extent, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    member = tl.program_id(1)
    if member == 1:
        x_ptr, out_ptr = x_ptr_1, out_ptr_1
    linalg_vector_norm_clamp_min_kernel(x_ptr, out_ptr, batch, depth, length, extent, ROWS, BLOCK, WIDE)


@triton.jit
def mul_kernel(x_ptr, x1_ptr, scale_ptr, out_ptr, x2_ptr, x3_ptr, out1_ptr, batch, depth, length, extent, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, depth, length, extent = tl.cast(batch, tl.int64), tl.cast(depth, tl.int64), tl.cast(length, tl.int64), tl.cast(extent, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < (extent // depth)*batch*depth*length
    i_quotient = i // depth
    i_rest = i % depth
    x = tl.load(x_ptr + (((batch*length*extent) // ((extent // depth)*batch*length))*i_quotient + i_rest), mask=i_ok, other=0.0)
    x1 = tl.load(x1_ptr + i_quotient, mask=i_ok, other=0.0)
    div = x / x1
    scale = tl.load(scale_ptr + i_rest, mask=i_ok, other=0.0)
    mul = div * scale
    tl.store(out_ptr + i, mul, mask=i_ok)
    x2 = tl.load(x2_ptr + (((batch*length*extent) // ((extent // depth)*batch*length))*i_quotient + i_rest), mask=i_ok, other=0.0)
    x3 = tl.load(x3_ptr + i_quotient, mask=i_ok, other=0.0)
    div_1 = x2 / x3
    scale_1 = tl.load(scale_ptr + (i_rest + depth), mask=i_ok, other=0.0)
    mul_1 = div_1 * scale_1
    tl.store(out1_ptr + i, mul_1, mask=i_ok)


@triton.jit
def scaled_dot_product_attention_transpose_linear_kernel(x_ptr, x1_ptr, x2_ptr, out_ptr, length: tl.constexpr, depth: tl.constexpr, batch: tl.constexpr, extent: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
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
    d_ok = d < depth if depth < BD else tl.full(d.shape, True, tl.int1)
    e = tl.arange(0, BE)[None, :]
    e_ok = e < ((batch*length*extent) // ((extent // depth)*batch*length)) if ((batch*length*extent) // ((extent // depth)*batch*length)) < BE else tl.full(e.shape, True, tl.int1)
    x = tl.load(x_ptr + (b*depth*length + d + depth*m), mask=d_ok & m_ok, other=0.0)
    at = tl.cast(depth, tl.int64)
    as_float32 = at.to(tl.float32)
    rsqrt = tl.rsqrt(as_float32)
    unit = 1.4426950408889634 * rsqrt
    peak = tl.full((BM, 1), float("-inf"), tl.float32)
    total = tl.zeros((BM, 1), tl.float32)
    acc = tl.zeros((BM, BE), tl.float32)
    x1_from = x1_ptr + (b*depth*length + d)
    x2_from = x2_ptr + (((batch*length*extent) // ((extent // depth)*batch*length))*b*length + e)
    end = tl.minimum(length, top + BM)
    whole = tl.minimum(length, top + 1) // BN * BN
    for edge in tl.static_range(2):
        for start in range(whole if edge else 0, end if edge else whole, BN):
            n = start + step[None, :]
            nv = start + step[:, None]
            n_ok = n < length if edge else tl.full(n.shape, True, tl.int1)
            nv_ok = nv < length if edge else tl.full(nv.shape, True, tl.int1)
            x1 = tl.load(x1_from + depth*nv, mask=d_ok & nv_ok, other=0.0)
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
            x2 = tl.load(x2_from + ((batch*length*extent) // ((extent // depth)*batch*length))*nv, mask=e_ok & nv_ok, other=0.0)
            acc = tl.dot(weight, x2, acc * shrink, input_precision=PRECISION)
    acc = acc / total
    b_rest = b % (extent // depth)
    b_quotient = b // (extent // depth)
    place = tl.broadcast_to(((batch*length*extent) // ((extent // depth)*batch*length))*b_rest + ((batch*length*extent) // ((extent // depth)*batch*length))*b_quotient*(extent // depth)*length + ((batch*length*extent) // ((extent // depth)*batch*length))*(extent // depth)*m + e, acc.shape)
    tl.store(out_ptr + place, acc, mask=e_ok & m_ok)


@triton.jit
def linear_add_kernel(x_ptr, weight_ptr, x1_ptr, out_ptr, batch, length, extent, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, length, extent = tl.cast(batch, tl.int64), tl.cast(length, tl.int64), tl.cast(extent, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*length, BM)
    across = tl.cdiv(extent, BN)
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
    m_ok = m < batch*length
    n_ok = n < extent
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + m*extent
    weight_from = weight_ptr + n*extent
    for k in range(0, extent, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < extent
        kb_ok = kb < extent
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    x1 = tl.load(x1_ptr + (m*extent + n), mask=m_ok & n_ok, other=0.0)
    mul = acc * 1.0
    add = x1 + mul
    place = tl.broadcast_to(m*extent + n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


def kernel_function(x, *, scale, query_weight, query_bias, key_weight, key_bias, value_weight, value_bias, out_weight):
    depth = scale.shape[1]
    batch = x.shape[0]
    length = x.shape[1]
    query_weight_dim0 = query_weight.shape[0]
    if x.shape != (batch, length, query_weight_dim0):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch, length, query_weight_dim0)} was expected")
    scale = scale.contiguous()
    query_weight = query_weight.contiguous()
    query_bias = query_bias.contiguous()
    key_weight = key_weight.contiguous()
    key_bias = key_bias.contiguous()
    value_weight = value_weight.contiguous()
    value_bias = value_bias.contiguous()
    out_weight = out_weight.contiguous()
    x = x.contiguous()
    device = scale.device
    linalg_vector_norm = torch.empty((batch, (query_weight_dim0 // depth), length, ((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length))), dtype=torch.float32, device=device)
    transpose = torch.empty((batch, (query_weight_dim0 // depth), length, ((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length))), dtype=torch.float32, device=device)
    linalg_vector_norm_1 = torch.empty((batch, (query_weight_dim0 // depth), length, ((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length))), dtype=torch.float32, device=device)
    transpose_1 = torch.empty((batch, (query_weight_dim0 // depth), length, ((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length))), dtype=torch.float32, device=device)
    linear_view_transpose_linalg_vector_norm_kernel_x2[(triton.cdiv(batch*length, 32) * triton.cdiv(query_weight_dim0, 64), 2)](
        x, query_weight, query_bias, linalg_vector_norm, transpose, key_weight, key_bias, linalg_vector_norm_1, transpose_1, batch, length, query_weight_dim0, depth, BM=32, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=2*batch*length*query_weight_dim0 + query_weight_dim0*query_weight_dim0 >= 2**31, num_warps=4, num_stages=3,
    )
    scaled_dot_product_attention = torch.empty(((query_weight_dim0 // depth)*batch, length, ((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length))), dtype=torch.float32, device=device)
    linear_view_transpose_scaled_dot_product_attention_kernel[(triton.cdiv(batch*length, 32) * triton.cdiv(query_weight_dim0, 64),)](
        x, value_weight, value_bias, scaled_dot_product_attention, batch, length, query_weight_dim0, depth, BM=32, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=2*batch*length*query_weight_dim0 + query_weight_dim0*query_weight_dim0 >= 2**31, num_warps=4, num_stages=3,
    )
    clamp_min = torch.empty((batch, (query_weight_dim0 // depth), length, 1), dtype=torch.float32, device=device)
    clamp_min_1 = torch.empty((batch, (query_weight_dim0 // depth), length, 1), dtype=torch.float32, device=device)
    linalg_vector_norm_clamp_min_kernel_x2[(triton.cdiv((query_weight_dim0 // depth)*batch*length, 128), 2)](
        linalg_vector_norm, clamp_min, linalg_vector_norm_1, clamp_min_1, batch, depth, length, query_weight_dim0, ROWS=128, BLOCK=triton.next_power_of_2(((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length))), WIDE=((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length))*(query_weight_dim0 // depth)*batch*length >= 2**31, num_warps=4, num_stages=2,
    )
    mul = torch.empty((batch, (query_weight_dim0 // depth), length, depth), dtype=torch.float32, device=device)
    mul_1 = torch.empty((batch, (query_weight_dim0 // depth), length, depth), dtype=torch.float32, device=device)
    mul_kernel[(triton.cdiv((query_weight_dim0 // depth)*batch*depth*length, 1024),)](
        transpose, clamp_min, scale, mul, transpose_1, clamp_min_1, mul_1, batch, depth, length, query_weight_dim0, BLOCK=1024, WIDE=(query_weight_dim0 // depth)*batch*depth*length >= 2**31, num_warps=4, num_stages=2,
    )
    linear = torch.empty((1, batch*length, query_weight_dim0), dtype=torch.float32, device=device)
    scaled_dot_product_attention_transpose_linear_kernel[(((query_weight_dim0 // depth)*batch) * triton.cdiv(length, 16),)](
        mul, mul_1, scaled_dot_product_attention, linear, length, depth, batch, query_weight_dim0, BM=16, BN=16, BD=max(16, triton.next_power_of_2(depth)), BE=max(16, triton.next_power_of_2(((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length)))), PRECISION="ieee", WIDE=((batch*length*query_weight_dim0) // ((query_weight_dim0 // depth)*batch*length))*(query_weight_dim0 // depth)*batch*length + 2*(query_weight_dim0 // depth)*batch*depth*length + batch*length*query_weight_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    add = torch.empty((batch, length, query_weight_dim0), dtype=torch.float32, device=device)
    linear_add_kernel[(triton.cdiv(batch*length, 32) * triton.cdiv(query_weight_dim0, 64),)](
        linear, out_weight, x, add, batch, length, query_weight_dim0, BM=32, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=2*batch*length*query_weight_dim0 + query_weight_dim0*query_weight_dim0 >= 2**31, num_warps=4, num_stages=3,
    )
    return add
