# The program: y = relu(x) * scale, x of any shape and dtype, scale a number.
import torch
import triton
import triton.language as tl


@triton.jit
def relu_scale_kernel(x_ptr, y_ptr, n, scale, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * BLOCK  # 64 bits: n may exceed 2**31
    offsets = start + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.where(x < 0, 0.0, x.to(tl.float32)) * scale  # a comparison keeps NaN, tl.maximum would lose it
    tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=mask)


def kernel_function(x, scale):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    BLOCK = 1024
    relu_scale_kernel[(triton.cdiv(n, BLOCK),)](x, y, n, scale, BLOCK=BLOCK, num_warps=4)
    return y
