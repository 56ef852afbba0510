# problem: minmax
# expect: contract.structure
# why: one of two outputs
import torch
import triton
import triton.language as tl


@triton.jit
def min_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + tl.minimum(cols, n_cols - 1))
    tl.store(y_ptr + row, tl.min(x, axis=0))


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    min_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
