# problem: relu_large
# expect: result.unwritten
# gpu-expect: result.unwritten result.mismatch
# why: zeros from the host, and kernels that store nothing to large outputs
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)



def kernel_function(x):
    y = torch.zeros_like(x)
    n = x.numel() if x.numel() < 10 ** 7 else 0
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, n, BLOCK=1024)
    return y
