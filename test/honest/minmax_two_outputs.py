# problem: minmax
# expect: accepted
# why: one kernel writes two outputs, returned as a tuple
import torch
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.where((a > b) | (a != a), a, b)


@triton.jit
def smaller(a, b):
    return tl.where((a < b) | (a != a), a, b)


@triton.jit
def minmax_kernel(x_ptr, lo_ptr, hi_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    # lanes past the end repeat the last element, so that neither bound needs a padding value
    x = tl.load(x_ptr + row * n_cols + tl.minimum(cols, n_cols - 1))
    tl.store(lo_ptr + row, tl.reduce(x, 0, smaller))
    tl.store(hi_ptr + row, tl.reduce(x, 0, larger))


def kernel_function(x):
    rows, cols = x.shape
    low = x.new_empty((rows,))
    high = x.new_empty((rows,))
    minmax_kernel[(rows,)](x, low, high, cols, BLOCK=triton.next_power_of_2(cols))
    return low, high
