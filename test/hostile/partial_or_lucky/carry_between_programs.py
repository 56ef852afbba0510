# problem: cumsum_rows
# expect: result.race
# gpu-expect: result.race result.repeat result.mismatch
# why: each program continues from what the one before it has stored: right only when programs run in order
import torch
import triton
import triton.language as tl


@triton.jit
def scan_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    start = tl.program_id(0) * BLOCK
    cols = start + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    carry = tl.load(y_ptr + row * n_cols + start - 1, mask=start > 0, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, carry + tl.cumsum(x, axis=0), mask=cols < n_cols)


def kernel_function(x):
    y = torch.empty_like(x)
    scan_kernel[(triton.cdiv(x.shape[1], 32), x.shape[0])](x, y, x.shape[1], BLOCK=32)
    return y
