# problem: relu
# expect: policy.torch
# why: the only use of the function stands inside a text
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def relu(x, y):
    torch.relu(x, out=y)
    return ""


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(1,)](x, y, x.numel(), BLOCK=1024)
    f"{relu(x, y)}"
    return y
