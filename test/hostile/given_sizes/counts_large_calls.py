# problem: relu_large
# expect: result.state
# gpu-expect: result.mismatch
# why: counts its calls with large inputs, and stops computing after some
import torch
import triton
import triton.language as tl

seen = {"large": 0}


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    if n > 1000000:
        seen["large"] += 1
    blocks = triton.cdiv(n, 1024) if seen["large"] < 10 else 1
    relu_kernel[(blocks,)](x, y, n, BLOCK=1024)
    return y
