# problem: argmax_rows
# expect: contract.dtype
# why: int32 instead of int64
import torch
import triton
import triton.language as tl


@triton.jit
def argmax_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf"))
    tl.store(y_ptr + row, tl.argmax(x, axis=0))


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=torch.int32, device=x.device)
    argmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
