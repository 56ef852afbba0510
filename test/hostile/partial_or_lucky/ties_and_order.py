# problem: argmax_rows
# expect: result.mismatch
# why: the index of the smallest element of the negated absolute values: right for positive inputs only
import torch
import triton
import triton.language as tl


@triton.jit
def argmax_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    nan = (x != x).to(tl.int32)
    best = tl.argmax(tl.abs(tl.where(x != x, 0.0, x)), axis=0)
    tl.store(y_ptr + row, tl.where(tl.sum(nan, axis=0) > 0, tl.argmax(nan, axis=0), best).to(tl.int64))


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=torch.int64, device=x.device)
    argmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
