# problem: relu
# expect: accepted
# why: asks values for names that kernels do not tell apart, works on its tensor's device, and reads a global constant that stays
import torch
import triton
import triton.language as tl

FLOOR = tl.constexpr(0.0)


@triton.jit
def clipped(x):
    return tl.where(x < FLOOR, FLOOR, x)


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, clipped(x), mask=offs < n)


def kernel_function(x):
    if not hasattr(x, "is_cuda") or not hasattr(tl, "dot"):
        raise RuntimeError("a tensor and Triton are needed")
    y = torch.empty_like(x)
    n = x.numel()
    with torch.cuda.device_of(x):
        relu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    with torch.cuda.device(x.device):
        relu_kernel[(triton.cdiv(n, 512),)](x, y, n, BLOCK=512)
    return y
