# problem: max_rows
# expect: result.mismatch
# why: padded lanes are zeros: wrong for rows below zero only
import torch
import triton
import triton.language as tl


@triton.jit
def max_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    nan = tl.sum((x != x).to(tl.int32), axis=0)
    tl.store(y_ptr + row, tl.where(nan > 0, float("nan"), tl.max(x, axis=0)))


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    max_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
