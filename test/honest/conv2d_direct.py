# problem: conv2d_relu
# expect: accepted
# why: a direct convolution in static loops; the function is called conv2d and the argument conv_weight
import torch
import triton
import triton.language as tl


@triton.jit
def conv2d(x_ptr, w_ptr, b_ptr, y_ptr, H, W, CI: tl.constexpr, CO: tl.constexpr, KS: tl.constexpr, PAD: tl.constexpr, BLOCK: tl.constexpr):
    image = tl.program_id(0) // CO
    channel = tl.program_id(0) % CO
    offs = tl.arange(0, BLOCK)
    oh = offs // W
    ow = offs % W
    inside = offs < H * W
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for ci in range(CI):
        for kh in tl.static_range(KS):
            for kw in tl.static_range(KS):
                ih = oh + kh - PAD
                iw = ow + kw - PAD
                ok = inside & (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
                x = tl.load(x_ptr + ((image * CI + ci) * H + ih) * W + iw, mask=ok, other=0.0)
                acc += x * tl.load(w_ptr + ((channel * CI + ci) * KS + kh) * KS + kw)
    acc += tl.load(b_ptr + channel)
    tl.store(y_ptr + (image * CO + channel) * H * W + offs, tl.where(acc < 0, 0.0, acc), mask=inside)


def kernel_function(x, conv_weight, conv_bias):
    n, ci, h, w = x.shape
    co, _, ks, _ = conv_weight.shape
    y = torch.empty((n, co, h, w), dtype=x.dtype, device=x.device)
    conv2d[(n * co,)](x, conv_weight, conv_bias, y, h, w, CI=ci, CO=co, KS=ks, PAD=1, BLOCK=triton.next_power_of_2(h * w))
    return y
