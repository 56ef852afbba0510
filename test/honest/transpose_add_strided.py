# problem: transpose_add
# expect: accepted
# why: the strides of both views go to the kernel; the host only makes views
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, R, C, xr, xc, yr, yc, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < C
    x = tl.load(x_ptr + row * xr + cols * xc, mask=mask)
    y = tl.load(y_ptr + row * yr + cols * yc, mask=mask)
    tl.store(out_ptr + row * C + cols, x + y, mask=mask)


def kernel_function(x, y):
    R, C = x.shape
    out = torch.empty((R, C), dtype=x.dtype, device=x.device)
    xv = x.t().transpose(0, 1).unsqueeze(0).squeeze(0)
    add_kernel[(R,)](xv, y.view(R, C), out, R, C, xv.stride(0), xv.stride(1), *y.stride(), BLOCK=triton.next_power_of_2(C))
    return out
