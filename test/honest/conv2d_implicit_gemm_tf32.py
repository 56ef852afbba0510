# problem: conv2d_relu
# expect: accepted
# why: tl.dot with its default TF32, which is also PyTorch's own default for convolutions
import torch
import triton
import triton.language as tl


@triton.jit
def conv_kernel(x_ptr, w_ptr, b_ptr, y_ptr, P, H, W, CI, CO, KS: tl.constexpr, BP: tl.constexpr, BC: tl.constexpr, BK: tl.constexpr):
    rp = tl.program_id(0) * BP + tl.arange(0, BP)
    rc = tl.arange(0, BC)
    image = rp // (H * W)
    oh = (rp // W) % H
    ow = rp % W
    K = CI * KS * KS
    acc = tl.zeros((BP, BC), dtype=tl.float32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        ci = rk // (KS * KS)
        ih = oh[:, None] + (rk // KS % KS)[None, :] - 1
        iw = ow[:, None] + (rk % KS)[None, :] - 1
        ok = (rp[:, None] < P) & (rk[None, :] < K) & (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
        x = tl.load(x_ptr + ((image[:, None] * CI + ci[None, :]) * H + ih) * W + iw, mask=ok, other=0.0)
        w = tl.load(w_ptr + rc[None, :] * K + rk[:, None], mask=(rc[None, :] < CO) & (rk[:, None] < K), other=0.0)
        acc = tl.dot(x, w, acc)
    acc += tl.load(b_ptr + rc, mask=rc < CO, other=0.0)[None, :]
    at = (image[:, None] * CO + rc[None, :]) * (H * W) + (rp % (H * W))[:, None]
    tl.store(y_ptr + at, tl.where(acc < 0, 0.0, acc), mask=(rp[:, None] < P) & (rc[None, :] < CO))


def kernel_function(x, conv_weight, conv_bias):
    n, ci, h, w = x.shape
    co = conv_weight.shape[0]
    y = torch.empty((n, co, h, w), dtype=x.dtype, device=x.device)
    pixels = n * h * w
    conv_kernel[(triton.cdiv(pixels, 64),)](x, conv_weight, conv_bias, y, pixels, h, w, ci, co, KS=3, BP=64, BC=16, BK=32)
    return y
