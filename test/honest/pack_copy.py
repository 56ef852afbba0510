# problem: pack
# expect: accepted
# why: the kernel only copies, because the program only copies
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, R, C, sr, sc, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    tl.store(y_ptr + row * C + cols, tl.load(x_ptr + row * sr + cols * sc, mask=mask), mask=mask)


def kernel_function(x):
    R, C = x.shape
    y = torch.empty((R, C), dtype=x.dtype, device=x.device)
    copy_kernel[(R,)](x, y, R, C, x.stride(0), x.stride(1), BLOCK=triton.next_power_of_2(C))
    return y
