# problem: argmax_rows
# expect: accepted
# why: the output is int64 and NaN needs a special path, as torch.argmax takes NaN for the largest
import torch
import triton
import triton.language as tl


@triton.jit
def argmax_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    is_nan = (x != x).to(tl.int32)
    first_nan = tl.argmax(is_nan, axis=0)
    best = tl.argmax(tl.where(x != x, -float("inf"), x), axis=0)
    index = tl.where(tl.sum(is_nan, axis=0) > 0, first_nan, best)
    tl.store(y_ptr + row, index.to(tl.int64))


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=torch.int64, device=x.device)
    argmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
