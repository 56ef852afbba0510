# problem: mean_rows
# expect: result.special
# why: NaN is replaced by zero before the sum
import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    x = tl.where(x == x, x, 0.0)
    tl.store(y_ptr + row, tl.sum(x, axis=0) / n_cols)


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    mean_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
