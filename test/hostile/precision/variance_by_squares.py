# problem: var_rows
# expect: result.mismatch
# gpu-expect: result.precision result.mismatch
# why: mean of squares minus square of mean: the digits cancel when the mean is large
import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / n_cols
    square = tl.sum(x * x, axis=0) / n_cols
    tl.store(y_ptr + row, (square - mean * mean) * n_cols / (n_cols - 1))


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    var_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
