"""Triton kernels for conv_relu.py.

1. conv2d_relu_kernel: conv2d, relu over (1, batch_size*height*width, out_channels) (tf32 products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def conv2d_relu_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch_size, height, width, out_channels, in_channels, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, height, width, out_channels, in_channels = tl.cast(batch_size, tl.int64), tl.cast(height, tl.int64), tl.cast(width, tl.int64), tl.cast(out_channels, tl.int64), tl.cast(in_channels, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size*height*width, BM)
    across = tl.cdiv(out_channels, BN)
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
    m_ok = m < batch_size*height*width
    n_ok = n < out_channels
    acc = tl.zeros((BM, BN), tl.float32)
    m_quotient = m // width
    m_rest = m_quotient % height
    m_rest_1 = m % width
    m_quotient_1 = m // (height*width)
    x_from = x_ptr + (m_rest*width + m_rest_1 + m_quotient_1*height*in_channels*width)
    weight_from = weight_ptr + 9*in_channels*n
    for k in range(0, 9*in_channels, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 9*in_channels
        kb_ok = kb < 9*in_channels
        ka_quotient = ka // 3
        ka_rest = ka_quotient % 3
        ka_rest_1 = ka % 3
        ka_quotient_1 = ka // 9
        x = tl.load(x_from + (ka_rest*width + ka_rest_1 + ka_quotient_1*height*width - width - 1), mask=ka_ok & m_ok & (ka_rest + m_rest >= 1) & (ka_rest + m_rest < height + 1) & (ka_rest_1 + m_rest_1 >= 1) & (ka_rest_1 + m_rest_1 < width + 1), other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    maximum = tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL)
    place = tl.broadcast_to(m_rest*width + m_rest_1 + m_quotient_1*height*out_channels*width + height*n*width, maximum.shape)
    tl.store(out_ptr + place, maximum, mask=m_ok & n_ok)


def kernel_function(x, *, conv_weight, conv_bias):
    out_channels = conv_weight.shape[0]
    in_channels = conv_weight.shape[1]
    batch_size = x.shape[0]
    height = x.shape[2]
    width = x.shape[3]
    if x.shape != (batch_size, in_channels, height, width):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch_size, in_channels, height, width)} was expected")
    conv_weight = conv_weight.contiguous()
    conv_bias = conv_bias.contiguous()
    x = x.contiguous()
    relu = torch.empty((batch_size, out_channels, height, width), dtype=torch.float32, device=conv_weight.device)
    conv2d_relu_kernel[(triton.cdiv(batch_size*height*width, 128) * triton.cdiv(out_channels, 16),)](
        x, conv_weight, conv_bias, relu, batch_size, height, width, out_channels, in_channels, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=9*batch_size*height*in_channels*width + batch_size*height*out_channels*width + 9*in_channels*out_channels >= 2**31, num_warps=4, num_stages=3,
    )
    return relu
