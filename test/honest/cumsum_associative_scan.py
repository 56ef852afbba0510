# problem: cumsum_rows
# expect: accepted
# why: tl.associative_scan with an own combine function and a carry over blocks of a row
import torch
import triton
import triton.language as tl


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def scan_kernel(x_ptr, y_ptr, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    mask = (r[:, None] < n_rows) & (c[None, :] < n_cols)
    x = tl.load(x_ptr + r[:, None] * n_cols + c[None, :], mask=mask, other=0.0)
    tl.store(y_ptr + r[:, None] * n_cols + c[None, :], tl.associative_scan(x, 1, plus), mask=mask)


def kernel_function(x):
    rows, cols = x.shape
    y = torch.empty_like(x)
    scan_kernel[(triton.cdiv(rows, 8),)](x, y, rows, cols, ROWS=8, BLOCK=triton.next_power_of_2(cols))
    return y
