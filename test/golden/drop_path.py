"""Triton kernels for drop_path.py.

1. linear_mul_add_kernel: linear, mul, add, linear over (1, batch*length, width) (ieee products)
2. linear_div_mul_etc_kernel: linear, div, mul, add, tanh, mul, add over (1, batch*length, width) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def linear_mul_add_kernel(x_ptr, weight_ptr, bias_ptr, drawn_ptr, out_ptr, out1_ptr, batch, length, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, length, width = tl.cast(batch, tl.int64), tl.cast(length, tl.int64), tl.cast(width, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*length, BM)
    across = tl.cdiv(width, BN)
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
    n_ok = n < width
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
    x_1 = tl.load(x_ptr + (m*width + n), mask=m_ok & n_ok, other=0.0)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    m_quotient = m // length
    drawn = tl.load(drawn_ptr + m_quotient, mask=m_ok, other=0.0)
    div = drawn / 0.6
    mul = add * div
    mul_1 = mul * 1.0
    add_1 = x_1 + mul_1
    place = tl.broadcast_to(m*width + n, add_1.shape)
    tl.store(out_ptr + place, add_1, mask=m_ok & n_ok)
    place_1 = tl.broadcast_to(m*width + n, add_1.shape)
    tl.store(out1_ptr + place_1, add_1, mask=m_ok & n_ok)


@triton.jit
def linear_div_mul_etc_kernel(x_ptr, weight_ptr, x1_ptr, bias_ptr, drawn_ptr, drawn1_ptr, out_ptr, batch, length, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, length, width = tl.cast(batch, tl.int64), tl.cast(length, tl.int64), tl.cast(width, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*length, BM)
    across = tl.cdiv(width, BN)
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
    n_ok = n < width
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
    x1 = tl.load(x1_ptr + (m*width + n), mask=m_ok & n_ok, other=0.0)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    div = add / 0.7
    m_quotient = m // length
    drawn = tl.load(drawn_ptr + m_quotient, mask=m_ok, other=0.0)
    add_1 = drawn + 0.7
    floor = tl.floor(add_1)
    mul = div * floor
    mul_1 = mul * 1.0
    add_2 = x1 + mul_1
    tanh = libdevice.tanh(add_2)
    drawn1 = tl.load(drawn1_ptr + m_quotient, mask=m_ok, other=0.0)
    mul_2 = tanh * drawn1
    mul_3 = mul_2 * 1.0
    add_3 = add_2 + mul_3
    place = tl.broadcast_to(m*width + n, add_3.shape)
    tl.store(out_ptr + place, add_3, mask=m_ok & n_ok)


def kernel_function(x, *, first_weight, first_bias, second_weight, second_bias):
    width = first_weight.shape[0]
    batch = x.shape[0]
    length = x.shape[1]
    if x.shape != (batch, length, width):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch, length, width)} was expected")
    first_weight = first_weight.contiguous()
    first_bias = first_bias.contiguous()
    second_weight = second_weight.contiguous()
    second_bias = second_bias.contiguous()
    x = x.contiguous()
    drawn = torch.empty((batch, 1, 1), dtype=torch.float32, device=first_weight.device).bernoulli_(0.6)
    drawn_1 = torch.rand((batch, 1, 1), dtype=torch.float32, device=first_weight.device)
    drawn_2 = torch.empty((batch, 1, 1), dtype=torch.float32, device=first_weight.device).bernoulli_(0.5)
    linear = torch.empty((1, batch*length, width), dtype=torch.float32, device=first_weight.device)
    add = torch.empty((batch, length, width), dtype=torch.float32, device=first_weight.device)
    linear_mul_add_kernel[(triton.cdiv(batch*length, 32) * triton.cdiv(width, 16),)](
        x, first_weight, first_bias, drawn, linear, add, batch, length, width, BM=32, BN=16, BK=16, GROUP=8, PRECISION="ieee", WIDE=2*batch*length*width + width*width >= 2**31, num_warps=4, num_stages=3,
    )
    add_1 = torch.empty((batch, length, width), dtype=torch.float32, device=first_weight.device)
    linear_div_mul_etc_kernel[(triton.cdiv(batch*length, 32) * triton.cdiv(width, 16),)](
        linear, second_weight, add, second_bias, drawn_1, drawn_2, add_1, batch, length, width, BM=32, BN=16, BK=16, GROUP=8, PRECISION="ieee", WIDE=2*batch*length*width + width*width >= 2**31, num_warps=4, num_stages=3,
    )
    return add_1
