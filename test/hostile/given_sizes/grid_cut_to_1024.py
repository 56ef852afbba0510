# problem: relu_large
# expect: result.unwritten
# gpu-expect: result.unwritten result.mismatch
# why: the grid ends at 1024 programs, and no program goes on
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)



def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(min(triton.cdiv(n, 1024), 1024),)](x, y, n, BLOCK=1024)
    return y
