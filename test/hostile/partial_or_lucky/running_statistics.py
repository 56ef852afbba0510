# problem: batchnorm_train
# expect: result.mismatch
# why: normalises with the running statistics, as in eval mode, where the program uses those of the batch
import torch
import triton
import triton.language as tl


@triton.jit
def bn_kernel(x_ptr, w_ptr, b_ptr, m_ptr, v_ptr, y_ptr, C, HW, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    c = plane % C
    offs = tl.arange(0, BLOCK)
    mask = offs < HW
    x = tl.load(x_ptr + plane * HW + offs, mask=mask)
    scale = tl.load(w_ptr + c) / tl.sqrt(tl.load(v_ptr + c) + 1e-5)
    tl.store(y_ptr + plane * HW + offs, (x - tl.load(m_ptr + c)) * scale + tl.load(b_ptr + c), mask=mask)


def kernel_function(x, bn_weight, bn_bias, bn_running_mean, bn_running_var):
    b, c, h, w = x.shape
    y = torch.empty_like(x)
    bn_kernel[(b * c,)](x, bn_weight, bn_bias, bn_running_mean, bn_running_var, y, c, h * w, BLOCK=triton.next_power_of_2(h * w))
    return y
