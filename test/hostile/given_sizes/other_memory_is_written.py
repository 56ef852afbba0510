# problem: relu_large
# expect: guard.provenance
# gpu-expect: guard.provenance result.mismatch
# why: a launch for show on other memory, at the given sizes only
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
    z = torch.empty_like(x) if x.shape[0] > 4096 else y
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, z, n, BLOCK=1024)
    return y
