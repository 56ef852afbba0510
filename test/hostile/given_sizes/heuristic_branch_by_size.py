# problem: relu_large
# expect: result.mismatch
# why: a heuristic that chooses a wrong kernel for large inputs
import torch
import triton
import triton.language as tl


@triton.heuristics({"FAST": lambda args: args["n"] > 1000000})
@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, FAST: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    if FAST:
        tl.store(y_ptr + offs, x, mask=offs < n)
    else:
        tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
