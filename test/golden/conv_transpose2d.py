"""Triton kernels for conv_transpose2d.py.

1. conv_transpose2d_kernel: conv_transpose2d over (1, 2*height + 4*height*width + 2*width + 1, 6) (tf32 products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def conv_transpose2d_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, height, width, channels_in, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        height, width, channels_in = tl.cast(height, tl.int64), tl.cast(width, tl.int64), tl.cast(channels_in, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(2*height + 4*height*width + 2*width + 1, BM)
    across = tl.cdiv(6, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step = tl.arange(0, BK)
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step = step.to(tl.int64)
    m_ok = m < 2*height + 4*height*width + 2*width + 1
    n_ok = n < 6
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, 9*channels_in, BK):
        ka = k + step[None, :]
        kb = k + step[:, None]
        ka_ok = ka < 9*channels_in
        kb_ok = kb < 9*channels_in
        x = tl.load(x_ptr + (((-((ka // 3) % 3) + ((m // (2*width + 1)) % (2*height + 1)) + 2) // 2) - 1)*width + (((-(ka % 3) + (m % (2*width + 1)) + 2) // 2) - 1) + (ka // 9)*height*width, mask=ka_ok & m_ok & (((ka // 3) % 3) < ((m // (2*width + 1)) % (2*height + 1)) + 1) & ((((-((ka // 3) % 3) + ((m // (2*width + 1)) % (2*height + 1)) + 2) // 2) - 1) < height) & (((-((ka // 3) % 3) + ((m // (2*width + 1)) % (2*height + 1)) + 2) % 2) < 1) & ((ka % 3) < (m % (2*width + 1)) + 1) & ((((-(ka % 3) + (m % (2*width + 1)) + 2) // 2) - 1) < width) & (((-(ka % 3) + (m % (2*width + 1)) + 2) % 2) < 1), other=0.0)
        weight = tl.load(weight_ptr + 3*((kb // 3) % 3) + (kb % 3) + 54*(kb // 9) + 9*n, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    place = tl.broadcast_to((((6*m + n) // (12*width + 6)) % (2*height + 1)) + 2*(((6*m + n) // (12*width + 6)) % (2*height + 1))*width + (m % (2*width + 1)) + 2*height*n + 4*height*n*width + n + 2*n*width, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


def kernel_function(x, *, up_weight, up_bias):
    channels_in = up_weight.shape[0]
    height = x.shape[2]
    width = x.shape[3]
    up_weight = up_weight.contiguous()
    up_bias = up_bias.contiguous()
    x = x.contiguous()
    conv_transpose2d = torch.empty((1, 6, 2*height + 1, 2*width + 1), dtype=torch.float32, device=up_weight.device)
    conv_transpose2d_kernel[(triton.cdiv(2*height + 4*height*width + 2*width + 1, 128) * triton.cdiv(6, 16),)](
        x, up_weight, up_bias, conv_transpose2d, height, width, channels_in, BM=128, BN=16, BK=32, GROUP=8, PRECISION="tf32", WIDE=63*channels_in + 18*channels_in*height + 36*channels_in*height*width + 18*channels_in*width + 12*height + 24*height*width + 12*width + 6 >= 2**31, num_warps=4, num_stages=3,
    )
    return conv_transpose2d
