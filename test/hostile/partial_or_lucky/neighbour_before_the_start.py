# problem: cumsum_rows
# expect: result.bounds
# why: each row adds the element before its first one, which for row 0 lies outside
# gpu-expect: result.bounds result.mismatch result.repeat result.special result.unwritten result.precision run.crash run.raised
import torch
import triton
import triton.language as tl


@triton.jit
def scan_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    before = tl.load(x_ptr + row * n_cols - 1)
    tl.store(y_ptr + row * n_cols + cols, tl.cumsum(x, axis=0) + 0.0 * before, mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    scan_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
