"""Triton kernels for rmsnorm.py.

1. mean_add_sqrt_etc_kernel: mean, add, sqrt, div, mul over (batch_size, dim)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def mean_add_sqrt_etc_kernel(x_ptr, scale_ptr, out_ptr, batch_size, dim, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, dim = tl.cast(batch_size, tl.int64), tl.cast(dim, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch_size
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < dim
    x = tl.load(x_ptr + (col + dim*row), mask=col_ok & row_ok, other=0.0)
    mul = x * x
    x_1 = tl.where(col_ok, mul, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(dim, tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    add = div + 1e-06
    sqrt = tl.sqrt_rn(add)
    div_1 = x / sqrt
    scale = tl.load(scale_ptr + col, mask=col_ok, other=0.0)
    mul_1 = div_1 * scale
    tl.store(out_ptr + (col + dim*row), mul_1, mask=col_ok & row_ok)


def kernel_function(x, *, scale):
    dim = scale.shape[0]
    batch_size = x.shape[0]
    if x.shape != (batch_size, dim):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch_size, dim)} was expected")
    scale = scale.contiguous()
    x = x.contiguous()
    mul = torch.empty((batch_size, dim), dtype=torch.float32, device=scale.device)
    mean_add_sqrt_etc_kernel[(triton.cdiv(batch_size, 16),)](
        x, scale, mul, batch_size, dim, ROWS=16, BLOCK=triton.next_power_of_2(dim), WIDE=batch_size*dim >= 2**31, num_warps=4, num_stages=2,
    )
    return mul
