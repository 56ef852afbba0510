# problem: groupnorm
# expect: accepted
# why: statistics go through a scratch tensor between two kernels; the output of the first is never returned
import torch
import triton
import triton.language as tl


@triton.jit
def statistics_kernel(x_ptr, stat_ptr, span, eps, BLOCK: tl.constexpr):
    group = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    mask = offs < span
    x = tl.load(x_ptr + group * span + offs, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / span
    d = tl.where(mask, x - mean, 0.0)
    tl.store(stat_ptr + 2 * group, mean)
    tl.store(stat_ptr + 2 * group + 1, 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / span + eps))


@triton.jit
def apply_kernel(x_ptr, stat_ptr, w_ptr, b_ptr, y_ptr, C, HW, per_group, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    channel = plane % C
    group = plane // per_group
    offs = tl.arange(0, BLOCK)
    mask = offs < HW
    x = tl.load(x_ptr + plane * HW + offs, mask=mask)
    mean = tl.load(stat_ptr + 2 * group)
    scale = tl.load(stat_ptr + 2 * group + 1) * tl.load(w_ptr + channel)
    tl.store(y_ptr + plane * HW + offs, (x - mean) * scale + tl.load(b_ptr + channel), mask=mask)


def kernel_function(x, norm_weight, norm_bias):
    batch, channels, height, width = x.shape
    groups = 2
    per_group = channels // groups
    span = per_group * height * width
    stats = torch.empty((batch * groups, 2), dtype=torch.float32, device=x.device)
    y = torch.empty_like(x)
    statistics_kernel[(batch * groups,)](x, stats, span, 1e-5, BLOCK=triton.next_power_of_2(span))
    apply_kernel[(batch * channels,)](
        x, stats, norm_weight, norm_bias, y, channels, height * width, per_group, BLOCK=triton.next_power_of_2(height * width)
    )
    return y
