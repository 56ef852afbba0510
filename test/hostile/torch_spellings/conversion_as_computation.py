# problem: square_fp16_out
# expect: guard.compute
# why: the kernel squares in float32 and the host converts to float16
import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, x * x, mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    square_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y.half()
