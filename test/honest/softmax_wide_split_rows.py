# problem: softmax_wide_rows
# expect: accepted
# why: one row is shared by several programs through a scratch of partial maxima and sums, three kernels in all
import torch
import triton
import triton.language as tl


@triton.jit
def part_kernel(x_ptr, m_ptr, s_ptr, n_cols, parts, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    part = tl.program_id(1)
    cols = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    m = tl.max(x, axis=0)
    tl.store(m_ptr + row * parts + part, m)
    tl.store(s_ptr + row * parts + part, tl.sum(tl.exp(x - m), axis=0))


@triton.jit
def join_kernel(m_ptr, s_ptr, parts, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    p = tl.arange(0, BLOCK)
    m = tl.load(m_ptr + row * parts + p, mask=p < parts, other=-float("inf"))
    s = tl.load(s_ptr + row * parts + p, mask=p < parts, other=0.0)
    top = tl.max(m, axis=0)
    total = tl.sum(s * tl.exp(m - top), axis=0)
    tl.store(m_ptr + row * parts, top)
    tl.store(s_ptr + row * parts, total)


@triton.jit
def write_kernel(x_ptr, m_ptr, s_ptr, y_ptr, n_cols, parts, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n_cols
    top = tl.load(m_ptr + row * parts)
    total = tl.load(s_ptr + row * parts)
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask)
    tl.store(y_ptr + row * n_cols + cols, tl.exp(x - top) / total, mask=mask)


def kernel_function(x):
    rows, cols = x.shape
    parts = triton.cdiv(cols, 1024)
    peaks = torch.empty((rows, parts), dtype=torch.float32, device=x.device)
    sums = torch.empty_like(peaks)
    y = torch.empty_like(x)
    part_kernel[(rows, parts)](x, peaks, sums, cols, parts, BLOCK=1024)
    join_kernel[(rows,)](peaks, sums, parts, BLOCK=triton.next_power_of_2(parts))
    write_kernel[(rows, parts)](x, peaks, sums, y, cols, parts, BLOCK=1024)
    return y
