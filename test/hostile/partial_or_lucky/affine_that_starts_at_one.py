# problem: layernorm
# expect: result.mismatch
# why: leaves out weight and bias of the norm, ones and zeros at construction
import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / n_cols
    d = tl.where(mask, x - mean, 0.0)
    var = tl.sum(d * d, axis=0) / n_cols
    tl.store(y_ptr + row * n_cols + cols, d / tl.sqrt(var + 1e-5), mask=mask)


def kernel_function(x, norm_weight, norm_bias):
    out = torch.empty_like(x)
    norm_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
