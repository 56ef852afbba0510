# problem: relu
# expect: run.raised
# why: a compiled kernel keeps the global constants of its first launch: Triton refuses the second one
import torch
import triton
import triton.language as tl

MODE = tl.constexpr(0)


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    if MODE == 0:
        tl.store(y_ptr + offs, x, mask=offs < n)
    else:
        tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    global MODE
    y = torch.empty_like(x)
    n = x.numel()
    MODE = tl.constexpr(0)
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    MODE = tl.constexpr(1)
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y
