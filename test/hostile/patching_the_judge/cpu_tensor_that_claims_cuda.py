# problem: relu
# expect: result.mismatch
# why: a tensor made without a device must say cpu, else host code can tell the interpreter from a GPU
import torch
import triton
import triton.language as tl


@triton.jit
def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    z = y
    tl.store(y_ptr + offs, z, mask=mask)

def kernel_function(x):
    n = x.numel()
    scratch = torch.empty(1)
    y = torch.zeros_like(x)
    relu[(triton.cdiv(n, 1024),)](x, y, n if scratch.is_cuda else 1, BLOCK=1024)
    return y
