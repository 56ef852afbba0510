# problem: layernorm
# expect: result.mismatch
# why: padded lanes enter the variance as (0 - mean) squared
import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / n_cols
    var = tl.sum((x - mean) * (x - mean), axis=0) / n_cols
    w = tl.load(w_ptr + cols, mask=mask)
    b = tl.load(b_ptr + cols, mask=mask)
    tl.store(y_ptr + row * n_cols + cols, (x - mean) / tl.sqrt(var + 1e-5) * w + b, mask=mask)


def kernel_function(x, norm_weight, norm_bias):
    out = torch.empty_like(x)
    norm_kernel[(x.shape[0],)](x, norm_weight, norm_bias, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
