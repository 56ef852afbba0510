# problem: relu
# expect: policy.name
# why: a constexpr function keeps state on the host and is called per program in the interpreter
import torch
import triton
import triton.language as tl


SEEN = [0]
@triton.constexpr_function
def pick(b):
    SEEN[0] += 1
    return 1.0 if SEEN[0] < 400 else 0.0

@triton.jit
def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)

    z = y * pick(BLOCK)

    tl.store(y_ptr + offs, z, mask=mask)

def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
