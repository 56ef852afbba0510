"""Triton kernels for conv_transpose2d.py.

1. conv_transpose2d_kernel: conv_transpose2d over (4, places_1*places_2, 6) (tf32 products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def conv_transpose2d_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, places, places_1, channels_in, height, width, height_1, width_1, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        places, places_1, channels_in, height, width, height_1, width_1 = tl.cast(places, tl.int64), tl.cast(places_1, tl.int64), tl.cast(channels_in, tl.int64), tl.cast(height, tl.int64), tl.cast(width, tl.int64), tl.cast(height_1, tl.int64), tl.cast(width_1, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(places*places_1, BM)
    across = tl.cdiv(6, BN)
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
    m_ok = m < places*places_1
    n_ok = n < 6
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // places_1
    m_rest = m % places_1
    b_quotient = b // 2
    b_rest = b % 2
    x_from = x_ptr + (m_rest + m_quotient*width)
    weight_from = weight_ptr + (b_rest + 3*b_quotient + 9*n)
    for k in range(0, 4*channels_in, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 4*channels_in
        kb_ok = kb < 4*channels_in
        ka_quotient = ka // 2
        ka_rest = ka_quotient % 2
        ka_rest_1 = ka % 2
        ka_quotient_1 = ka // 4
        x = tl.load(x_from + (ka_rest*width + ka_rest_1 + ka_quotient_1*height*width - width - 1), mask=ka_ok & m_ok & (ka_rest + m_quotient >= 1) & (ka_rest + m_quotient < height + 1) & (ka_rest_1 + m_rest >= 1) & (ka_rest_1 + m_rest < width + 1) & (b_quotient < 2*ka_rest + 1) & (b_rest < 2*ka_rest_1 + 1), other=0.0)
        kb_quotient = kb // 2
        kb_rest = kb_quotient % 2
        kb_rest_1 = kb % 2
        kb_quotient_1 = kb // 4
        weight = tl.load(weight_from + (-6*kb_rest - 2*kb_rest_1 + 54*kb_quotient_1 + 8), mask=kb_ok & n_ok & (b_quotient < 2*kb_rest + 1) & (b_rest < 2*kb_rest_1 + 1), other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    place = tl.broadcast_to(b_rest + b_quotient*width_1 + 2*m_rest + 2*m_quotient*width_1 + height_1*n*width_1, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok & (b_quotient + 2*m_quotient < height_1) & (b_rest + 2*m_rest < width_1))


def kernel_function(x, *, up_weight, up_bias):
    channels_in = up_weight.shape[0]
    height = x.shape[2]
    width = x.shape[3]
    height_1 = 2*height + 1
    width_1 = 2*width + 1
    places_1 = height + 1
    places_2 = width + 1
    if x.shape != (1, channels_in, height, width):
        raise ValueError(f"x is {tuple(x.shape)}, where {(1, channels_in, height, width)} was expected")
    up_weight = up_weight.contiguous()
    up_bias = up_bias.contiguous()
    x = x.contiguous()
    conv_transpose2d = torch.empty((1, 6, height_1, width_1), dtype=torch.float32, device=up_weight.device)
    conv_transpose2d_kernel[(4 * triton.cdiv(places_1*places_2, 128) * triton.cdiv(6, 16),)](
        x, up_weight, up_bias, conv_transpose2d, places_1, places_2, channels_in, height, width, height_1, width_1, BM=128, BN=16, BK=16, GROUP=8, PRECISION="tf32", WIDE=96*channels_in + 16*channels_in*places_1*places_2 + 24*places_1*places_2 >= 2**31, num_warps=4, num_stages=3,
    )
    return conv_transpose2d
