# problem: add_scaled
# expect: accepted
# why: a Python scalar comes with the tensors and is passed on to the kernel
import torch
import triton
import triton.language as tl


@triton.jit
def axpy_kernel(x_ptr, y_ptr, out_ptr, alpha, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + alpha * y, mask=mask)


def kernel_function(x, y, alpha):
    out = torch.empty_like(x)
    axpy_kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, float(alpha), x.numel(), BLOCK=256)
    return out
