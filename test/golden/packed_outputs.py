"""Triton kernels for packed_outputs.py.

1. mul_kernel: mul over (x_dim0, scale_dim0)
2. max_kernel: max over (x_dim0, scale_dim0)
3. tanh_kernel: tanh over (x_dim0, ((scale_dim0 + 1) // 2))
4. exp_kernel: exp over (x_dim0, -((scale_dim0 + 1) // 2) + scale_dim0)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def later_largest(a, i, b, j):
    wins = (a > b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))
    return tl.where(wins, a, b), tl.where(wins, i, j)


@triton.jit
def first_largest(x, place):
    _, best = tl.reduce((x, place), 1, later_largest)
    return best


@triton.jit
def mul_kernel(x_ptr, scale_ptr, out_ptr, extent, extent_1, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < extent*extent_1
    x = tl.load(x_ptr + i, mask=i_ok, other=0.0)
    i_rest = i % extent
    scale = tl.load(scale_ptr + i_rest, mask=i_ok, other=0.0)
    mul = x * scale
    tl.store(out_ptr + i, mul, mask=i_ok)


@triton.jit
def max_kernel(x_ptr, out_ptr, out1_ptr, extent, extent_1, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < extent
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < extent_1
    x = tl.load(x_ptr + (col + row*extent_1), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    place = tl.broadcast_to(col, (ROWS, BLOCK)).to(tl.int64)
    best_at = first_largest(x_1, place)[:, None]
    tl.store(out_ptr + row, max_1, mask=row_ok)
    tl.store(out1_ptr + row, best_at, mask=row_ok)


@triton.jit
def tanh_kernel(x_ptr, out_ptr, extent, extent_1, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < ((extent + 1) // 2)*extent_1
    i_rest = i % ((extent + 1) // 2)
    i_quotient = i // ((extent + 1) // 2)
    x = tl.load(x_ptr + (i_rest + i_quotient*extent), mask=i_ok, other=0.0)
    tanh = libdevice.tanh(x)
    tl.store(out_ptr + i, tanh, mask=i_ok)


@triton.jit
def exp_kernel(x_ptr, out_ptr, extent, extent_1, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        extent, extent_1 = tl.cast(extent, tl.int64), tl.cast(extent_1, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < -((extent + 1) // 2)*extent_1 + extent*extent_1
    i_rest = i % (-((extent + 1) // 2) + extent)
    i_quotient = i // (-((extent + 1) // 2) + extent)
    x = tl.load(x_ptr + (((extent + 1) // 2) + i_rest + i_quotient*extent), mask=i_ok, other=0.0)
    exp = tl.exp(x)
    tl.store(out_ptr + i, exp, mask=i_ok)


def kernel_function(x, *, scale):
    scale_dim0 = scale.shape[0]
    x_dim0 = x.shape[0]
    if x.shape != (x_dim0, scale_dim0):
        raise ValueError(f"x is {tuple(x.shape)}, where {(x_dim0, scale_dim0)} was expected")
    scale = scale.contiguous()
    x = x.contiguous()
    device = scale.device
    mul = torch.empty((x_dim0, scale_dim0), dtype=torch.float32, device=device)
    mul_kernel[(triton.cdiv(scale_dim0*x_dim0, 1024),)](
        x, scale, mul, scale_dim0, x_dim0, BLOCK=1024, WIDE=scale_dim0*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    max_1 = torch.empty((x_dim0,), dtype=torch.float32, device=device)
    max_2 = torch.empty((x_dim0,), dtype=torch.int64, device=device)
    max_kernel[(triton.cdiv(x_dim0, 8),)](
        mul, max_1, max_2, x_dim0, scale_dim0, ROWS=8, BLOCK=triton.next_power_of_2(scale_dim0), WIDE=scale_dim0*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    tanh = torch.empty((x_dim0, ((scale_dim0 + 1) // 2)), dtype=torch.float32, device=device)
    tanh_kernel[(triton.cdiv(((scale_dim0 + 1) // 2)*x_dim0, 1024),)](
        mul, tanh, scale_dim0, x_dim0, BLOCK=1024, WIDE=((scale_dim0 + 1) // 2)*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    exp = torch.empty((x_dim0, -((scale_dim0 + 1) // 2) + scale_dim0), dtype=torch.float32, device=device)
    exp_kernel[(triton.cdiv(-((scale_dim0 + 1) // 2)*x_dim0 + scale_dim0*x_dim0, 1024),)](
        mul, exp, scale_dim0, x_dim0, BLOCK=1024, WIDE=-((scale_dim0 + 1) // 2)*x_dim0 + scale_dim0*x_dim0 >= 2**31, num_warps=4, num_stages=2,
    )
    return {'all': mul, 'attention': None, 'best_of': (max_1, max_2), 'states': [(tanh, exp)]}
