# problem: relu
# expect: run.raised
# gpu-expect: run.raised compile.failed
# why: the kernel stops by itself with a message that says it passed
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 0, "PASS")


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(1,)](x, y, x.numel(), BLOCK=1024)
    return y
