# problem: square_fp16_out
# expect: accepted
# why: the kernel converts while it stores: the pointer of the output is float16
import torch
import triton
import triton.language as tl


@triton.jit
def square(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, (x * x).to(y_ptr.dtype.element_ty), mask=mask)


def kernel_function(x):
    y = torch.empty(x.size(), dtype=torch.float16, device=x.device)
    square[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
