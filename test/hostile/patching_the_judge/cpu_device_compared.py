# problem: relu
# expect: result.mismatch
# why: compares the device of a CPU tensor with that of the input
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
    cpu = torch.zeros(4, device="cpu")
    y = torch.zeros_like(x)
    relu[(triton.cdiv(n, 1024),)](x, y, n if cpu.device == x.device else 1, BLOCK=1024)
    return y
