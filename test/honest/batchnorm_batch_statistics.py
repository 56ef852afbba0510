# problem: batchnorm_train
# expect: accepted
# why: normalises with the statistics of the batch and leaves the running ones alone, which is reported but not refused
import torch
import triton
import triton.language as tl


@triton.jit
def bn_kernel(x_ptr, w_ptr, b_ptr, y_ptr, B, C, HW, eps, BB: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    rb = tl.arange(0, BB)
    offs = tl.arange(0, BLOCK)
    mask = (rb[:, None] < B) & (offs[None, :] < HW)
    at = (rb[:, None] * C + c) * HW + offs[None, :]
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    mean = tl.sum(x) / (B * HW)
    d = tl.where(mask, x - mean, 0.0)
    var = tl.sum(d * d) / (B * HW)
    y = d / tl.sqrt(var + eps) * tl.load(w_ptr + c) + tl.load(b_ptr + c)
    tl.store(y_ptr + at, y, mask=mask)


def kernel_function(x, bn_weight, bn_bias):
    b, c, h, w = x.shape
    y = torch.empty_like(x)
    up = triton.next_power_of_2
    bn_kernel[(c,)](x, bn_weight, bn_bias, y, b, c, h * w, 1e-5, BB=up(b), BLOCK=up(h * w))
    return y
