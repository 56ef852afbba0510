# problem: triu_scale
# expect: result.unwritten
# why: writes only where the mask is true and leaves the rest as it was allocated
import torch
import triton
import triton.language as tl


@triton.jit
def triu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = (cols < n) & (cols >= row)
    tl.store(y_ptr + row * n + cols, 2.0 * tl.load(x_ptr + row * n + cols, mask=mask), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    triu_kernel[(x.shape[0],)](x, y, x.shape[0], BLOCK=triton.next_power_of_2(x.shape[0]))
    return y
