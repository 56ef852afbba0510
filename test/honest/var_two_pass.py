# problem: var_rows
# expect: accepted
# why: two passes over data far from zero; as accurate as PyTorch, though not in the same order
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
    d = tl.where(mask, x - mean, 0.0)
    # the mean itself is rounded: the second term takes that error out again
    slip = tl.sum(d, axis=0)
    tl.store(y_ptr + row, (tl.sum(d * d, axis=0) - slip * slip / n_cols) / (n_cols - 1))


def kernel_function(x):
    y = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    var_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
