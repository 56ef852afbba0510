# problem: max_rows
# expect: accepted
# why: tl.max drops NaN, so NaN is looked for apart
import torch
import triton
import triton.language as tl


@triton.jit
def max(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    has_nan = tl.sum((x != x).to(tl.int32), axis=0) > 0
    best = tl.max(tl.where(x != x, -float("inf"), x), axis=0)
    tl.store(y_ptr + row, tl.where(has_nan, float("nan"), best))


def kernel_function(x):
    y = torch.empty((x.size(0),), dtype=x.dtype, device=x.device)
    max[(x.size(0),)](x, y, x.size(1), BLOCK=triton.next_power_of_2(x.size(1)))
    return y
