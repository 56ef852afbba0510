# problem: relu
# expect: accepted
# why: looks at the bits of its input, NaN among them, and shifts by less than the width
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    bits = x.to(tl.int32, bitcast=True)
    keep = ~(bits >> 31)  # all ones for a positive number
    is_nan = (bits & 0x7FFFFFFF) > 0x7F800000
    y = (bits & keep).to(tl.float32, bitcast=True)
    tl.store(y_ptr + offs, tl.where(is_nan, x, y), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y
