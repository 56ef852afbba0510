# problem: pad_constant
# expect: accepted
# why: the frame is a fill, the kernel writes through a view
import torch
import triton
import triton.language as tl


def kernel_function(x, value: float = 0.5):
    b, h, w = x.shape
    y = torch.full((b, h + 7, w + 3), value, device=x.device, dtype=x.dtype)
    view = y[:, 3:3 + h, 1:1 + w]
    copy_in[(b, h)](x, view, w, *x.stride(), *view.stride(), BLOCK=triton.next_power_of_2(w))
    return y


@triton.jit
def copy_in(x, y, W, xb, xh, xw, yb, yh, yw, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    c = tl.arange(0, BLOCK)
    tl.store(y + b * yb + h * yh + c * yw, tl.load(x + b * xb + h * xh + c * xw, mask=c < W), mask=c < W)
