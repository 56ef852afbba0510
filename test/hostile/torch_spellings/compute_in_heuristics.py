# problem: abs
# expect: guard.compute
# why: the torch work is done inside a heuristic, while the launch is under way
import torch
import triton
import triton.language as tl


def pick_block(args):
    args["y_ptr"][...] = abs(args["x_ptr"])
    return 1024


@triton.heuristics({"BLOCK": pick_block})
@triton.jit
def touch_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(y_ptr + offs, mask=offs < n), mask=offs < n)


def kernel_function(x):
    y = torch.zeros_like(x)
    touch_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
    return y
