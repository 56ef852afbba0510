# problem: inv_norm_rows
# expect: result.precision
# gpu-expect: result.precision result.mismatch
# why: the inverse root by bit tricks and two Newton steps: relative error 5e-6
import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    s = tl.sum(x * x, axis=0)
    i = 0x5F3759DF - (s.to(tl.int32, bitcast=True) >> 1)
    r = i.to(tl.float32, bitcast=True)
    r = r * (1.5 - 0.5 * s * r * r)
    r = r * (1.5 - 0.5 * s * r * r)
    tl.store(y_ptr + row * n_cols + cols, x * r, mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    norm_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
