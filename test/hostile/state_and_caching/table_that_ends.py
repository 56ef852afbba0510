# problem: relu
# expect: result.state
# why: a dictionary is used up, one key per call; a hundred calls are right
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(y < 0, 0.0, y), mask=mask)


LEFT = {n: True for n in range(100)}


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel() // 2
    if LEFT:
        LEFT.popitem()
        n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
