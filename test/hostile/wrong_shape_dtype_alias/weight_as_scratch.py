# problem: scale_buffer
# expect: contract.inputs
# gpu-expect: contract.inputs result.mismatch
# why: changes a buffer of the module
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, g_ptr, y_ptr, rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    g = tl.load(g_ptr + cols, mask=mask)
    for row in range(rows):
        tl.store(y_ptr + row * n_cols + cols, tl.load(x_ptr + row * n_cols + cols, mask=mask) * g, mask=mask)
    tl.store(g_ptr + cols, g * 1.0001, mask=mask)


def kernel_function(x, gain):
    y = torch.empty_like(x)
    scale_kernel[(1,)](x, gain, y, x.shape[0], x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
