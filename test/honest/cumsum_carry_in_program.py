# problem: cumsum_rows
# expect: accepted
# why: a carry from block to block, but inside one program, so no race
import torch
import triton
import triton.language as tl


@triton.jit
def scan_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = tl.full((), 0.0, tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
        tl.store(y_ptr + row * n_cols + cols, carry + tl.cumsum(x, axis=0), mask=cols < n_cols)
        carry += tl.sum(x, axis=0)


def kernel_function(x):
    y = torch.empty_like(x)
    scan_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=64)
    return y
