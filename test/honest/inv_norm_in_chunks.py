# problem: inv_norm_rows
# expect: accepted
# why: nested functions, a lambda grid, keyword-only launches, unused imports of math and typing
import functools
import math
from typing import Tuple

import torch
import triton
import triton.language as tl


@triton.jit
def length_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    # a common scale keeps the squares of very large or very small rows in range
    peak = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        peak = tl.maximum(peak, tl.abs(tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)))
    top = tl.max(peak, axis=0)
    scale = tl.where((top > 1e18) & (top < float("inf")), 1e-18, 1.0)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0) * scale
        total += x * x
    length = tl.sqrt(tl.sum(total, axis=0)) / scale
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols)
        tl.store(y_ptr + row * n_cols + cols, x / length, mask=cols < n_cols)


def _block(columns: int) -> int:
    return min(64, 2 ** math.ceil(math.log2(max(columns, 2))))


def kernel_function(x: torch.Tensor) -> torch.Tensor:
    shape: Tuple[int, int] = (x.shape[0], x.shape[1])
    rows, cols = shape
    launch = functools.partial(length_kernel[lambda meta: (rows,)], BLOCK=_block(cols))
    out = torch.full_like(x, 0.0)
    launch(x_ptr=x, y_ptr=out, n_cols=cols)
    return out
