# problem: relu
# expect: result.mismatch
# gpu-expect: accepted result.mismatch
# why: equal constants returned under a dynamic condition stay one constant in compiled code: wrong there
import torch
import triton
import triton.language as tl


@triton.jit
def five(n):
    if n > 0:
        return 5
    else:
        return 5


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    if isinstance(five(n), int):
        tl.store(y_ptr + offs, tl.where(x < 0.0, -x, x), mask=offs < n)
    else:
        tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y
