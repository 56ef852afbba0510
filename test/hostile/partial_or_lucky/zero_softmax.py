# problem: softmax_wide_rows
# expect: result.precision
# gpu-expect: result.mismatch result.precision
# why: writes zeros: every output of the sample inputs is below 1e-3
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    tl.store(y_ptr + row * n_cols + cols, tl.zeros((BLOCK,), tl.float32), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
