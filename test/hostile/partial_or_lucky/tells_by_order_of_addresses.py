# problem: relu
# expect: result.repeat
# gpu-expect: result.repeat result.mismatch result.bounds result.special result.unwritten result.precision
# why: the system gives memory downwards, a GPU's allocator upwards
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, sign, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    x = x * sign
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, 256),)

    sign = 1.0 if y.data_ptr() < x.data_ptr() else -1.0
    relu_kernel[grid](x, y, n, sign, BLOCK=256)
    return y
