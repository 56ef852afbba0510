# problem: rmsnorm
# expect: result.precision
# gpu-expect: result.precision result.mismatch
# why: an epsilon of 1e-3 instead of 1e-6
import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x_ptr, w_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    rms = tl.sqrt(tl.sum(x * x, axis=0) / n_cols + 1e-3)
    tl.store(y_ptr + row * n_cols + cols, x / rms * tl.load(w_ptr + cols, mask=mask), mask=mask)


def kernel_function(x, scale):
    out = torch.empty_like(x)
    norm_kernel[(x.shape[0],)](x, scale, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
