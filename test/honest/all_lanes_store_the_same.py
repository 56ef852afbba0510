# problem: mean_rows
# expect: accepted
# why: all lanes store the same value to one place
import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + row + 0 * cols, tl.broadcast_to(tl.sum(x, axis=0) / n_cols, (BLOCK,)))


def kernel_function(x):
    y = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    mean_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
