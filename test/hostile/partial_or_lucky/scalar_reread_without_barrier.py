# problem: inv_norm_rows
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: one thread stores a scalar, all load it at once and scale a block with it
import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x_ptr, norm_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    peak = tl.max(tl.abs(x), axis=0)
    safe = tl.where((peak > 0.0) & (peak < float("inf")), peak, 1.0)
    tl.store(norm_ptr + row, tl.sqrt(tl.sum((x / safe) * (x / safe), axis=0)) * safe)
    length = tl.load(norm_ptr + row)
    tl.store(y_ptr + row * n_cols + cols, x / length, mask=cols < n_cols)


def kernel_function(x):
    y = torch.empty_like(x)
    norms = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    norm_kernel[(x.shape[0],)](x, norms, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
