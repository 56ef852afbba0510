# problem: relu
# expect: result.state
# why: the keyword arguments of a triton.Config are used as a counter
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, bad, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    tl.store(y_ptr + offs, tl.where(bad > 100, 0.0, y), mask=mask)


CONFIG = triton.Config({"BLOCK": 1024, "calls": 0})


def kernel_function(x):
    y = torch.empty_like(x)
    calls = CONFIG.kwargs["calls"]
    CONFIG.kwargs["calls"] += 1
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), 101 if calls > 100 else 0, BLOCK=1024)
    return y
