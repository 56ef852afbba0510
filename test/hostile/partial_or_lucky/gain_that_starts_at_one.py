# problem: bias_tanh_scale
# expect: result.mismatch
# why: adds the shift but leaves out the gain
import torch
import triton
import triton.language as tl


@triton.jit
def tanh_kernel(x_ptr, s_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    v = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0) + tl.load(s_ptr + cols, mask=mask, other=0.0)
    e = tl.exp(-2.0 * tl.abs(v))
    t = (1.0 - e) / (1.0 + e)
    tl.store(y_ptr + row * n_cols + cols, tl.where(v < 0, -t, t), mask=mask)


def kernel_function(x, shift, gain):
    out = torch.empty_like(x)
    tanh_kernel[(x.shape[0],)](x, shift, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
