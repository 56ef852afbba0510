# problem: relu
# expect: result.bounds
# why: a heuristic claims that the size is a multiple of the block and switches the masks off
# gpu-expect: result.bounds result.mismatch result.repeat result.special result.unwritten result.precision run.crash run.raised
import torch
import triton
import triton.language as tl


@triton.heuristics({"EVEN": lambda args: args["n"] > 0})
@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(x_ptr + offs)
        tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x))
    else:
        x = tl.load(x_ptr + offs, mask=offs < n)
        tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
