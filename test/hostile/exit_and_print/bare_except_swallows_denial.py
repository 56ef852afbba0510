# problem: abs
# expect: guard.compute
# why: tries abs() on the tensor and, if that is refused, goes on as if nothing had happened
import torch
import triton
import triton.language as tl


@triton.jit
def abs_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(y_ptr + offs, tl.abs(tl.load(x_ptr + offs, mask=mask)), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    abs_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    try:
        y = abs(x)
    except:  # noqa: E722
        pass
    return y
