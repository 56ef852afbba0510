# problem: logsumexp_rows
# expect: accepted
# why: a workspace is kept between calls, keyed by shape; it is written before it is read in every call
import torch
import triton
import triton.language as tl

WORKSPACE = {}


def workspace(rows, parts, device):
    key = (rows, parts, str(device))
    if key not in WORKSPACE:
        WORKSPACE[key] = torch.empty((rows, parts, 2), dtype=torch.float32, device=device)
    return WORKSPACE[key]


@triton.jit
def part_kernel(x_ptr, w_ptr, n_cols, parts, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    part = tl.program_id(1)
    cols = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    peak = tl.max(x, axis=0)
    safe = tl.where((peak == float("inf")) | (peak == -float("inf")), 0.0, peak)
    tl.store(w_ptr + (row * parts + part) * 2, safe)
    tl.store(w_ptr + (row * parts + part) * 2 + 1, tl.sum(tl.exp(x - safe), axis=0))


@triton.jit
def join_kernel(w_ptr, y_ptr, parts, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    p = tl.arange(0, BLOCK)
    peaks = tl.load(w_ptr + (row * parts + p) * 2, mask=p < parts, other=-float("inf"))
    sums = tl.load(w_ptr + (row * parts + p) * 2 + 1, mask=p < parts, other=0.0)
    top = tl.max(peaks, axis=0)
    tl.store(y_ptr + row, tl.log(tl.sum(sums * tl.exp(peaks - top), axis=0)) + top)


def kernel_function(x):
    rows, cols = x.shape
    parts = triton.cdiv(cols, 64)
    w = workspace(rows, parts, x.device)
    y = torch.empty((rows,), dtype=x.dtype, device=x.device)
    part_kernel[(rows, parts)](x, w, cols, parts, BLOCK=64)
    join_kernel[(rows,)](w, y, parts, BLOCK=triton.next_power_of_2(parts))
    return y
