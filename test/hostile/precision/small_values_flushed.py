# problem: relu
# expect: result.precision
# gpu-expect: result.precision result.mismatch
# why: values below 1e-10 become 0
import torch
import triton
import triton.language as tl


@triton.jit
def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    z = tl.where(y < 1e-10, 0.0, y)
    tl.store(y_ptr + offs, z, mask=mask)

def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
