# problem: batchnorm_train
# expect: general.buffers
# flags: --require-buffers
# why: the output is right, the running statistics stay as they were, and the caller asked for them
import torch
import triton
import triton.language as tl


@triton.jit
def bn_kernel(x_ptr, w_ptr, b_ptr, y_ptr, B, C, HW, BB: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    rb = tl.arange(0, BB)
    offs = tl.arange(0, BLOCK)
    mask = (rb[:, None] < B) & (offs[None, :] < HW)
    at = (rb[:, None] * C + c) * HW + offs[None, :]
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    mean = tl.sum(x) / (B * HW)
    d = tl.where(mask, x - mean, 0.0)
    var = tl.sum(d * d) / (B * HW)
    tl.store(y_ptr + at, d / tl.sqrt(var + 1e-5) * tl.load(w_ptr + c) + tl.load(b_ptr + c), mask=mask)


def kernel_function(x, bn_weight, bn_bias):
    b, c, h, w = x.shape
    y = torch.empty_like(x)
    bn_kernel[(c,)](x, bn_weight, bn_bias, y, b, c, h * w, BB=triton.next_power_of_2(b), BLOCK=triton.next_power_of_2(h * w))
    return y
