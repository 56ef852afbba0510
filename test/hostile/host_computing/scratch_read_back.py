# problem: max_rows
# expect: guard.compute
# why: a kernel writes partial maxima, Python reads them back and finishes
import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(x_ptr, p_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    half = tl.program_id(1)
    cols = half * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    tl.store(p_ptr + row * 2 + half, tl.max(x, axis=0))


def kernel_function(x):
    p = torch.empty((x.shape[0], 2), device=x.device)
    partial_kernel[(x.shape[0], 2)](x, p, x.shape[1], BLOCK=64)
    return torch.tensor([max(float(a), float(b)) for a, b in p], device=x.device)
