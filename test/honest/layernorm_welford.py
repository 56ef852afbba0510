# problem: layernorm
# expect: accepted
# why: mean and variance by Welford's update in a scan over blocks, not by the textbook formula
import torch
import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    mean = tl.zeros((BLOCK,), tl.float32)
    m2 = tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        inside = cols < n_cols
        x = tl.load(x_ptr + row * n_cols + cols, mask=inside, other=0.0)
        count = tl.where(inside, count + 1.0, count)
        delta = x - mean
        mean = tl.where(inside, mean + delta / tl.maximum(count, 1.0), mean)
        m2 = tl.where(inside, m2 + delta * (x - mean), m2)
    total = tl.sum(count, axis=0)
    grand = tl.sum(mean * count, axis=0) / total
    shift = mean - grand
    var = tl.sum(m2 + count * shift * shift, axis=0) / total
    scale = 1.0 / tl.sqrt(var + eps)
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        inside = cols < n_cols
        x = tl.load(x_ptr + row * n_cols + cols, mask=inside)
        w = tl.load(w_ptr + cols, mask=inside)
        b = tl.load(b_ptr + cols, mask=inside)
        tl.store(y_ptr + row * n_cols + cols, (x - grand) * scale * w + b, mask=inside)


def kernel_function(x, norm_weight, norm_bias):
    y = torch.empty_like(x)
    layernorm_kernel[(x.shape[0],)](x, norm_weight, norm_bias, y, x.shape[1], 1e-5, BLOCK=64)
    return y
