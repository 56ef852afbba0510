# problem: softmax_rows
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: the first program of a row stores the row's maximum and sum for the others, which look for them after an atomic of their own but do not wait
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, stat_ptr, counter_ptr, dummy_ptr, n_cols, BLOCK: tl.constexpr, PART: tl.constexpr):
    row = tl.program_id(0)
    if tl.atomic_add(counter_ptr + row, 1) == 0:
        cols = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
        peak = tl.max(x, axis=0)
        tl.store(stat_ptr + row * 2, peak)
        tl.store(stat_ptr + row * 2 + 1, tl.sum(tl.exp(x - peak), axis=0))
    tl.atomic_add(dummy_ptr + row, 1)
    peak = tl.load(stat_ptr + row * 2)
    total = tl.load(stat_ptr + row * 2 + 1)
    at = tl.program_id(1) * PART + tl.arange(0, PART)
    x = tl.load(x_ptr + row * n_cols + at, mask=at < n_cols)
    tl.store(y_ptr + row * n_cols + at, tl.exp(x - peak) / total, mask=at < n_cols)


def kernel_function(x):
    rows, cols = x.shape
    y = torch.empty_like(x)
    stat = torch.empty((rows, 2), dtype=torch.float32, device=x.device)
    counter = torch.zeros(2 * rows, dtype=torch.int32, device=x.device)
    k[(rows, triton.cdiv(cols, 32))](x, y, stat, counter, counter[rows:], cols, BLOCK=triton.next_power_of_2(cols), PART=32)
    return y
