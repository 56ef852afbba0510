# problem: inv_norm_rows
# expect: result.mismatch
# gpu-expect: result.mismatch result.precision
# why: wrong for norms outside the usual range
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + offs, mask=offs < n, other=0.0)
    s = tl.sum(x * x, 0)
    s = tl.where(s > 1e9, 1.0, s)
    s = tl.where(s < 1e-6, 1.0, s)
    tl.store(y_ptr + row * n + offs, x / tl.sqrt(s), mask=offs < n)

def kernel_function(x):
    y = torch.empty_like(x)
    m, n = x.shape
    k[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
