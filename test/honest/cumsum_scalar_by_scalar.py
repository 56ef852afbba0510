# problem: cumsum_rows
# expect: accepted
# why: scalars are stored and loaded again by the thread that stores them; nothing else is stored
import torch
import triton
import triton.language as tl


@triton.jit
def scan_kernel(x_ptr, y_ptr, n_cols):
    row = tl.program_id(0) * n_cols
    tl.store(y_ptr + row, tl.load(x_ptr + row))
    for col in range(1, n_cols):
        tl.store(y_ptr + row + col, tl.load(y_ptr + row + col - 1) + tl.load(x_ptr + row + col))


def kernel_function(x):
    y = torch.empty_like(x)
    scan_kernel[(x.shape[0],)](x, y, x.shape[1])
    return y
