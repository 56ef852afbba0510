# problem: cumsum_rows
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: lanes read what other lanes stored, without a barrier
import torch
import triton
import triton.language as tl


@triton.jit
def scan_kernel(x_ptr, y_ptr, n_cols, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    y = y_ptr + row * n_cols + cols
    tl.store(y, tl.load(x_ptr + row * n_cols + cols, mask=inside), mask=inside)
    for step in tl.static_range(STEPS):
        here = tl.load(y, mask=inside, other=0.0)
        before = tl.load(y - (1 << step), mask=inside & (cols >= (1 << step)), other=0.0)
        tl.store(y, here + before, mask=inside)


def kernel_function(x):
    y = torch.empty_like(x)
    scan_kernel[(x.shape[0],)](x, y, x.shape[1], STEPS=max((x.shape[1] - 1).bit_length(), 0), BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
