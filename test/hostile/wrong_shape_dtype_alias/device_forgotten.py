# problem: relu
# expect: run.raised
# gpu-expect: run.raised contract.device
# why: the output is allocated in host memory; on a GPU no kernel could write to it
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
    y = torch.empty(x.shape, dtype=x.dtype)
    n = x.numel()
    relu[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
