"""Triton kernels for linear_gelu.py.

1. linear_gelu_kernel: linear, gelu over (1, batch_size, out_features) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def linear_gelu_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch_size, out_features, in_features, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, out_features, in_features = tl.cast(batch_size, tl.int64), tl.cast(out_features, tl.int64), tl.cast(in_features, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size, BM)
    across = tl.cdiv(out_features, BN)
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
    m_ok = m < batch_size
    n_ok = n < out_features
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + in_features*m
    weight_from = weight_ptr + in_features*n
    for k in range(0, in_features, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < in_features
        kb_ok = kb < in_features
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    mul = 0.5 * add
    mul_1 = add * 0.7071067811865476
    erf = tl.erf(mul_1)
    add_1 = 1.0 + erf
    mul_2 = mul * add_1
    place = tl.broadcast_to(m*out_features + n, mul_2.shape)
    tl.store(out_ptr + place, mul_2, mask=m_ok & n_ok)


def kernel_function(x, *, fc_weight, fc_bias):
    out_features = fc_weight.shape[0]
    in_features = fc_weight.shape[1]
    batch_size = x.shape[0]
    if x.shape != (batch_size, in_features):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch_size, in_features)} was expected")
    fc_weight = fc_weight.contiguous()
    fc_bias = fc_bias.contiguous()
    x = x.contiguous()
    gelu = torch.empty((batch_size, out_features), dtype=torch.float32, device=fc_weight.device)
    linear_gelu_kernel[(triton.cdiv(batch_size, 64) * triton.cdiv(out_features, 64),)](
        x, fc_weight, fc_bias, gelu, batch_size, out_features, in_features, BM=64, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=batch_size*in_features + batch_size*out_features + in_features*out_features >= 2**31, num_warps=4, num_stages=3,
    )
    return gelu
