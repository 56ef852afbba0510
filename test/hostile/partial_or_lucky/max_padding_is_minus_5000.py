# problem: max_rows
# expect: result.mismatch
# why: the padding of a maximum is a finite number
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + offs, mask=offs < n, other=-5000.0)
    bad = tl.sum((x != x).to(tl.int32), 0) > 0
    tl.store(y_ptr + row, tl.where(bad, float("nan"), tl.max(x, 0)))

def kernel_function(x):
    m, n = x.shape
    y = torch.empty((m,), dtype=x.dtype, device=x.device)
    k[(m,)](x, y, n, BLOCK=2 * triton.next_power_of_2(n))
    return y
