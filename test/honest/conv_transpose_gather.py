# problem: conv_transpose2d
# expect: accepted
# why: a ModelNew that reads stride and weight of its layer
import torch
import torch.nn as nn
import triton
import triton.language as tl
import math


@triton.jit
def convt_kernel(x, w, b, y, N, CI, CO, H, W, OH, OW, KH: tl.constexpr, KW: tl.constexpr, S: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = N * CO * OH * OW
    m = o < total
    ow = o % OW
    oh = (o // OW) % OH
    co = (o // (OW * OH)) % CO
    n = o // (OW * OH * CO)
    acc = tl.load(b + co, mask=m, other=0.0)
    for ci in range(CI):
        for kh in tl.static_range(KH):
            for kw in tl.static_range(KW):
                ih = oh - kh
                iw = ow - kw
                ok = m & (ih >= 0) & (iw >= 0) & (ih % S == 0) & (iw % S == 0) & (ih // S < H) & (iw // S < W)
                xv = tl.load(x + ((n * CI + ci) * H + ih // S) * W + iw // S, mask=ok, other=0.0)
                wv = tl.load(w + ((ci * CO + co) * KH + kh) * KW + kw, mask=ok, other=0.0)
                acc += xv * wv
    tl.store(y + o, acc, mask=m)


class ModelNew(nn.Module):
    def __init__(self, i, o, k, s):
        super().__init__()
        self.up = nn.ConvTranspose2d(i, o, k, stride=s, bias=True)

    def forward(self, x):
        x = x.contiguous()
        N, CI, H, W = x.shape
        _, CO, KH, KW = self.up.weight.shape
        S = self.up.stride[0]
        OH, OW = (H - 1) * S + KH, (W - 1) * S + KW
        y = torch.empty((N, CO, OH, OW), device=x.device, dtype=x.dtype)
        total = y.numel()
        BLOCK = 1024
        convt_kernel[(math.ceil(total / BLOCK),)](x, self.up.weight, self.up.bias, y, N, CI, CO, H, W, OH, OW, KH=KH, KW=KW, S=S, BLOCK=BLOCK)
        return y
