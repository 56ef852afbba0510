"""Triton kernels for expert_router.py.

1. linear_kernel: linear over (1, tokens, 5) (ieee products)
2. softmax_kernel: softmax over (tokens, 5)
3. topk_kernel: topk over (tokens, 2)
4. sum_div_kernel: sum, div over (tokens, 2)
5. scatter_kernel: scatter over (tokens, 5, 2)
6. sum_kernel: sum over (tokens, 2, 5)
7. mean_kernel: mean over (tokens, 5)
8. mean_mul_kernel: mean, mul over (tokens, 5)
9. einsum_silu_kernel: einsum, silu over (1, tokens, 80) (ieee products)
10. scatter_kernel_1: scatter over (tokens, 5)
11. einsum_kernel: einsum over (5, tokens, width) (ieee products)
12. einsum_kernel_1: einsum over (tokens, 1, width, 5)
13. sum_mul_kernel: sum, mul over (5,)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def linear_kernel(x_ptr, weight_ptr, out_ptr, tokens, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens, width = tl.cast(tokens, tl.int64), tl.cast(width, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(tokens, BM)
    across = tl.cdiv(5, BN)
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
    m_ok = m < tokens
    n_ok = n < 5
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + m*width
    weight_from = weight_ptr + n*width
    for k in range(0, width, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < width
        kb_ok = kb < width
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    place = tl.broadcast_to(5*m + n, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, tokens, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens = tl.cast(tokens, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < tokens
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < 5
    x = tl.load(x_ptr + (col + 5*row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    sub = x - max_1
    exp = tl.exp(sub)
    x_2 = tl.where(col_ok, exp, 0.0)
    total = tl.sum(x_2, axis=1)[:, None]
    div = exp / total
    tl.store(out_ptr + (col + 5*row), div, mask=col_ok & row_ok)


@triton.jit
def topk_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    col_ok = col < 5
    x = tl.load(x_ptr + (col + 5*row), mask=col_ok, other=0.0)
    x_1 = tl.where(x == 0.0, 0.0, x)
    bits = x_1.to(tl.int32, bitcast=True)
    bits_1 = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    bits_2 = tl.where(x_1 == x_1, bits_1, 0x7FFFFFFF)
    key = tl.where(col_ok, ((~bits_2).to(tl.int64) << 32) | col, 0x7FFFFFFFFFFFFFFF)
    next_key = tl.full((), -0x8000000000000000, tl.int64)
    for p in range(2):
        last = tl.min(tl.where(key >= next_key, key, 0x7FFFFFFFFFFFFFFF), axis=0)
        tl.store(out_ptr + p + 2*row, last & 0xFFFFFFFF)
        next_key = last + 1


@triton.jit
def sum_div_kernel(x_ptr, x1_ptr, out_ptr, tokens, ROWS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens = tl.cast(tokens, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < tokens
    total = tl.full((ROWS, 1), 0.0, tl.float32)
    x_from = x_ptr + 2*row
    x1_from = x1_ptr + 5*row
    for col in tl.static_range(2):
        x = tl.load(x_from + col, mask=row_ok, other=0)
        x1 = tl.load(x1_from + x, mask=row_ok, other=0.0)
        x_1 = x1
        total = total + x_1
    for col in tl.static_range(2):
        x_2 = tl.load(x_from + col, mask=row_ok, other=0)
        x1_1 = tl.load(x1_from + x_2, mask=row_ok, other=0.0)
        div = x1_1 / total
        tl.store(out_ptr + (col + 2*row), div, mask=row_ok)


@triton.jit
def scatter_kernel(x_ptr, out_ptr, out1_ptr, tokens, ROWS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens = tl.cast(tokens, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 5*tokens
    largest_seen = tl.full((ROWS, 1), -9223372036854775808, tl.int64)
    row_quotient = row // 5
    x_from = x_ptr + 2*row_quotient
    row_rest = row % 5
    for col in tl.static_range(2):
        x = tl.load(x_from + col, mask=row_ok, other=0)
        at = tl.cast(row_rest, tl.int64)
        eq = x == at
        at_1 = tl.cast(col, tl.int64)
        where = tl.where(eq, at_1, (-1))
        x_1 = where
        largest_seen = tl.maximum(largest_seen, x_1)
    maximum = tl.maximum(largest_seen, 0)
    tl.store(out_ptr + row, maximum, mask=row_ok)
    ge = largest_seen >= 0
    tl.store(out1_ptr + row, ge, mask=row_ok)


@triton.jit
def sum_kernel(x_ptr, out_ptr, tokens, ROWS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens = tl.cast(tokens, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 5*tokens
    total = tl.full((ROWS, 1), 0.0, tl.float32)
    row_quotient = row // 5
    x_from = x_ptr + 2*row_quotient
    row_rest = row % 5
    for col in tl.static_range(2):
        x = tl.load(x_from + col, mask=row_ok, other=0)
        at = tl.cast(row_rest, tl.int64)
        eq = x == at
        as_int64 = eq.to(tl.int64)
        as_float32 = as_int64.to(tl.float32)
        x_1 = as_float32
        total = total + x_1
    tl.store(out_ptr + row, total, mask=row_ok)


@triton.jit
def mean_kernel(x_ptr, out_ptr, tokens, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens = tl.cast(tokens, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 5
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < tokens
    x = tl.load(x_ptr + (5*col + row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(tokens, tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    tl.store(out_ptr + row, div, mask=row_ok)


@triton.jit
def mean_mul_kernel(x_ptr, x1_ptr, out_ptr, tokens, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens = tl.cast(tokens, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 5
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < tokens
    x = tl.load(x_ptr + (5*col + row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(tokens, tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    x1 = tl.load(x1_ptr + row, mask=row_ok, other=0.0)
    mul = div * x1
    tl.store(out_ptr + row, mul, mask=row_ok)


@triton.jit
def einsum_silu_kernel(x_ptr, up_ptr, out_ptr, tokens, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens, width = tl.cast(tokens, tl.int64), tl.cast(width, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(tokens, BM)
    across = tl.cdiv(80, BN)
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
    m_ok = m < tokens
    n_ok = n < 80
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + m*width
    n_rest = n % 16
    n_quotient = n // 16
    up_from = up_ptr + (n_rest + 16*n_quotient*width)
    for k in range(0, width, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < width
        kb_ok = kb < width
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        up = tl.load(up_from + 16*kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, up, acc, input_precision=PRECISION)
    sigmoid = tl.sigmoid(acc)
    mul = acc * sigmoid
    place = tl.broadcast_to(n_rest + 16*n_quotient*tokens + 16*m, mul.shape)
    tl.store(out_ptr + place, mul, mask=m_ok & n_ok)


@triton.jit
def scatter_kernel_1(x_ptr, x1_ptr, x2_ptr, out_ptr, tokens, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens = tl.cast(tokens, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 5*tokens
    x = tl.load(x_ptr + i, mask=i_ok, other=False).to(tl.int1)
    x1 = tl.load(x1_ptr + i, mask=i_ok, other=0)
    i_quotient = i // 5
    x2 = tl.load(x2_ptr + (2*i_quotient + x1), mask=i_ok, other=0.0)
    where = tl.where(x, x2, 0.0)
    tl.store(out_ptr + i, where, mask=i_ok)


@triton.jit
def einsum_kernel(x_ptr, down_ptr, out_ptr, x1_ptr, out1_ptr, tokens, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens, width = tl.cast(tokens, tl.int64), tl.cast(width, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(tokens, BM)
    across = tl.cdiv(width, BN)
    b = tile // (down * across)
    tile = tile % (down * across)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        b = b.to(tl.int64)
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < tokens
    n_ok = n < width
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + (16*b*tokens + 16*m)
    down_from = down_ptr + (16*b*width + n)
    for k in range(0, 16, BK):
        ka = k + step_a
        kb = k + step_b
        x = tl.load(x_from + ka, mask=m_ok, other=0.0)
        down_1 = tl.load(down_from + kb*width, mask=n_ok, other=0.0)
        acc = tl.dot(x, down_1, acc, input_precision=PRECISION)
    place = tl.broadcast_to(b + 5*m*width + 5*n, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)
    x1 = tl.load(x1_ptr + (b + 5*m), mask=m_ok, other=0.0)
    mul = x1 * acc
    place_1 = tl.broadcast_to(b + 5*m*width + 5*n, mul.shape)
    tl.store(out1_ptr + place_1, mul, mask=m_ok & n_ok)


@triton.jit
def einsum_kernel_1(x_ptr, out_ptr, tokens, width, ROWS: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        tokens, width = tl.cast(tokens, tl.int64), tl.cast(width, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < tokens*width
    total = tl.full((ROWS, 1), 0.0, tl.float32)
    x_from = x_ptr + 5*row
    for col in tl.static_range(5):
        x = tl.load(x_from + col, mask=row_ok, other=0.0)
        x_1 = x
        total = total + x_1
    tl.store(out_ptr + row, total, mask=row_ok)


@triton.jit
def sum_mul_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 1
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < 5
    x = tl.load(x_ptr + col, mask=col_ok, other=0.0)
    x_1 = tl.where(col_ok, tl.broadcast_to(x, (ROWS, BLOCK)), 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    mul = total * 5.0
    tl.store(out_ptr + row, mul, mask=row_ok)


def kernel_function(x, *, up, down, gate_weight):
    width = up.shape[1]
    tokens = x.shape[0]
    if x.shape != (tokens, width):
        raise ValueError(f"x is {tuple(x.shape)}, where {(tokens, width)} was expected")
    up = up.contiguous()
    down = down.contiguous()
    gate_weight = gate_weight.contiguous()
    x = x.contiguous()
    device = up.device
    linear = torch.empty((tokens, 5), dtype=torch.float32, device=device)
    linear_kernel[(triton.cdiv(tokens, 16) * triton.cdiv(5, 16),)](
        x, gate_weight, linear, tokens, width, BM=16, BN=16, BK=16, GROUP=8, PRECISION="ieee", WIDE=5*tokens + tokens*width + 5*width >= 2**31, num_warps=4, num_stages=3,
    )
    softmax = torch.empty((tokens, 5), dtype=torch.float32, device=device)
    softmax_kernel[(triton.cdiv(tokens, 16),)](
        linear, softmax, tokens, ROWS=16, BLOCK=triton.next_power_of_2(5), WIDE=5*tokens >= 2**31, num_warps=4, num_stages=2,
    )
    topk = torch.empty((tokens, 2), dtype=torch.int64, device=device)
    topk_kernel[(tokens,)](
        softmax, topk, BLOCK=triton.next_power_of_2(5), num_warps=4, num_stages=2,
    )
    div = torch.empty((tokens, 2), dtype=torch.float32, device=device)
    sum_div_kernel[(triton.cdiv(tokens, 16),)](
        topk, softmax, div, tokens, ROWS=16, WIDE=2*tokens >= 2**31, num_warps=4, num_stages=2,
    )
    scatter = torch.empty((tokens, 5), dtype=torch.int64, device=device)
    scatter_1 = torch.empty((tokens, 5), dtype=torch.bool, device=device)
    scatter_kernel[(triton.cdiv(5*tokens, 128),)](
        topk, scatter, scatter_1, tokens, ROWS=128, WIDE=10*tokens >= 2**31, num_warps=4, num_stages=2,
    )
    sum_1 = torch.empty((tokens, 5), dtype=torch.float32, device=device)
    sum_kernel[(triton.cdiv(5*tokens, 128),)](
        topk, sum_1, tokens, ROWS=128, WIDE=10*tokens >= 2**31, num_warps=4, num_stages=2,
    )
    mean = torch.empty((5,), dtype=torch.float32, device=device)
    mean_kernel[(triton.cdiv(5, 8),)](
        softmax, mean, tokens, ROWS=8, BLOCK=triton.next_power_of_2(tokens), WIDE=5*tokens >= 2**31, num_warps=4, num_stages=2,
    )
    mul = torch.empty((5,), dtype=torch.float32, device=device)
    mean_mul_kernel[(triton.cdiv(5, 8),)](
        sum_1, mean, mul, tokens, ROWS=8, BLOCK=triton.next_power_of_2(tokens), WIDE=5*tokens >= 2**31, num_warps=4, num_stages=2,
    )
    silu = torch.empty((5, tokens, 16), dtype=torch.float32, device=device)
    einsum_silu_kernel[(triton.cdiv(tokens, 16) * triton.cdiv(80, 128),)](
        x, up, silu, tokens, width, BM=16, BN=128, BK=16, GROUP=8, PRECISION="ieee", WIDE=80*tokens + tokens*width + 80*width >= 2**31, num_warps=4, num_stages=3,
    )
    scatter_2 = torch.empty((tokens, 5), dtype=torch.float32, device=device)
    scatter_kernel_1[(triton.cdiv(5*tokens, 1024),)](
        scatter_1, scatter, div, scatter_2, tokens, BLOCK=1024, WIDE=5*tokens >= 2**31, num_warps=4, num_stages=2,
    )
    einsum = torch.empty((tokens, 1, width, 5), dtype=torch.float32, device=device)
    einsum_1 = torch.empty((tokens, 1, width, 5), dtype=torch.float32, device=device)
    einsum_kernel[(5 * triton.cdiv(tokens, 16) * triton.cdiv(width, 16),)](
        silu, down, einsum, scatter_2, einsum_1, tokens, width, BM=16, BN=16, BK=16, GROUP=8, PRECISION="ieee", WIDE=80*tokens + 5*tokens*width + 80*width >= 2**31, num_warps=4, num_stages=3,
    )
    einsum_2 = torch.empty((tokens, width), dtype=torch.float32, device=device)
    einsum_kernel_1[(triton.cdiv(tokens*width, 256),)](
        einsum_1, einsum_2, tokens, width, ROWS=256, WIDE=5*tokens*width >= 2**31, num_warps=4, num_stages=2,
    )
    mul_1 = torch.empty((), dtype=torch.float32, device=device)
    sum_mul_kernel[(triton.cdiv(1, 1),)](
        mul, mul_1, ROWS=1, BLOCK=triton.next_power_of_2(5), WIDE=False, num_warps=4, num_stages=2,
    )
    return (einsum_2, topk, mul_1,)
