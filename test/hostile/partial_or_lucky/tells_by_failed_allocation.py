# problem: relu
# expect: run.memory
# gpu-expect: result.mismatch
# why: 12 GiB are there on a GPU, and not here: the exception is caught and used
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, sign, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    x = x * sign
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, 256),)
    failed = False
    try:
        big = torch.empty(12 << 30, dtype=torch.uint8, device=x.device)
    except RuntimeError:
        failed = True
    sign = 1.0 if failed else -1.0
    relu_kernel[grid](x, y, n, sign, BLOCK=256)
    return y
