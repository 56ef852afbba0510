# problem: minmax
# expect: result.mismatch
# why: largest first, smallest second
import torch
import triton
import triton.language as tl


@triton.jit
def minmax_kernel(x_ptr, lo_ptr, hi_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + tl.minimum(cols, n_cols - 1))
    bad = tl.sum((x != x).to(tl.int32), axis=0) > 0
    tl.store(lo_ptr + row, tl.where(bad, float("nan"), tl.min(x, axis=0)))
    tl.store(hi_ptr + row, tl.where(bad, float("nan"), tl.max(x, axis=0)))


def kernel_function(x):
    low = x.new_empty((x.shape[0],))
    high = x.new_empty((x.shape[0],))
    minmax_kernel[(x.shape[0],)](x, low, high, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return high, low
