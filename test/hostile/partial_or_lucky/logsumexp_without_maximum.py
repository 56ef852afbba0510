# problem: logsumexp_rows
# expect: result.mismatch
# gpu-expect: result.mismatch result.special
# why: the same for log-sum-exp
import torch
import triton
import triton.language as tl


@triton.jit
def lse_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf"))
    tl.store(y_ptr + row, tl.log(tl.sum(tl.exp(x), axis=0)))


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    lse_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
