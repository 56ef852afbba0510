# problem: fp64_axpy
# expect: result.mismatch
# gpu-expect: result.precision result.mismatch
# why: a float64 problem is computed in float32
import torch
import triton
import triton.language as tl


@triton.jit
def axpy_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, (2.5 * x.to(tl.float32) + y.to(tl.float32)).to(tl.float64), mask=mask)


def kernel_function(x, y):
    out = torch.empty_like(x)
    axpy_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
