# problem: mean_rows
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: all lanes store their own running sum to one place; which one stays is chance
import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + row + 0 * cols, tl.cumsum(x, axis=0) / n_cols)


def kernel_function(x):
    y = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    mean_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
