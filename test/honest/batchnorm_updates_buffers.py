# problem: batchnorm_train
# expect: accepted
# flags: --require-buffers
# why: writes to the running statistics that it was given, exactly as the program does
import torch
import triton
import triton.language as tl


@triton.jit
def bn_kernel(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, count_ptr, y_ptr, B, C, HW, BB: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    rb = tl.arange(0, BB)
    offs = tl.arange(0, BLOCK)
    mask = (rb[:, None] < B) & (offs[None, :] < HW)
    at = (rb[:, None] * C + c) * HW + offs[None, :]
    n = B * HW
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    mean = tl.sum(x) / n
    d = tl.where(mask, x - mean, 0.0)
    square = tl.sum(d * d)
    tl.store(y_ptr + at, d / tl.sqrt(square / n + 1e-5) * tl.load(w_ptr + c) + tl.load(b_ptr + c), mask=mask)
    tl.store(mean_ptr + c, 0.9 * tl.load(mean_ptr + c) + 0.1 * mean)
    tl.store(var_ptr + c, 0.9 * tl.load(var_ptr + c) + 0.1 * square / (n - 1))
    if c == 0:
        tl.store(count_ptr, tl.load(count_ptr) + 1)


def kernel_function(x, bn_weight, bn_bias, bn_running_mean, bn_running_var, bn_num_batches_tracked):
    b, c, h, w = x.shape
    y = torch.empty_like(x)
    up = triton.next_power_of_2
    bn_kernel[(c,)](
        x, bn_weight, bn_bias, bn_running_mean, bn_running_var, bn_num_batches_tracked, y, b, c, h * w, BB=up(b), BLOCK=up(h * w)
    )
    return y
