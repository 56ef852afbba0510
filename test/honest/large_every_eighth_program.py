# problem: relu_large
# expect: accepted
# why: one program in eight does the work of all eight
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid % 8 == 3:
        for k in range(8):
            offs = (pid - 3 + k) * BLOCK + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + offs, mask=offs < n)
            tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(8 * triton.cdiv(n, 8 * 1024),)](x, y, n, BLOCK=1024)
    return y
