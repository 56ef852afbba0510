# problem: batchnorm_relu
# expect: accepted
# flags: --require-buffers
# why: running statistics and the counter are updated by the kernel
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bn_stats(x, mean, rstd, rm, rv, nbt, N, C, HW, momentum, eps, UPDATE: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    cnt = N * HW
    s = tl.zeros([BLOCK], tl.float32)
    for st in range(0, cnt, BLOCK):
        o = st + tl.arange(0, BLOCK)
        m = o < cnt
        s += tl.load(x + (o // HW) * C * HW + c * HW + o % HW, mask=m, other=0.0)
    mu = tl.sum(s, 0) / cnt
    q = tl.zeros([BLOCK], tl.float32)
    for st in range(0, cnt, BLOCK):
        o = st + tl.arange(0, BLOCK)
        m = o < cnt
        d = tl.where(m, tl.load(x + (o // HW) * C * HW + c * HW + o % HW, mask=m, other=0.0) - mu, 0.0)
        q += d * d
    var = tl.sum(q, 0) / cnt
    tl.store(mean + c, mu)
    tl.store(rstd + c, tl.rsqrt(var + eps))
    if UPDATE:
        tl.store(rm + c, (1 - momentum) * tl.load(rm + c) + momentum * mu)
        tl.store(rv + c, (1 - momentum) * tl.load(rv + c) + momentum * var * cnt / (cnt - 1))
        if c == 0:
            tl.store(nbt, tl.load(nbt) + 1)


@triton.jit
def bn_apply_relu(x, y, mean, rstd, g, b, total, C, HW, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < total
    c = (o // HW) % C
    v = tl.load(x + o, mask=m)
    v = (v - tl.load(mean + c, mask=m)) * tl.load(rstd + c, mask=m) * tl.load(g + c, mask=m) + tl.load(b + c, mask=m)
    tl.store(y + o, tl.maximum(v, 0.0, propagate_nan=tl.PropagateNan.ALL), mask=m)


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x):
        N, C, H, W = x.shape
        HW = H * W
        y = torch.empty_like(x)
        stats = torch.empty((2, C), device=x.device, dtype=torch.float32)
        mean, rstd = stats[0], stats[1]
        bn = self.bn
        bn_stats[(C,)](x, mean, rstd, bn.running_mean, bn.running_var, bn.num_batches_tracked, N, C, HW, bn.momentum, bn.eps, UPDATE=self.training and bn.track_running_stats, BLOCK=256)
        bn_apply_relu[(triton.cdiv(x.numel(), 512),)](x, y, mean, rstd, bn.weight, bn.bias, x.numel(), C, HW, BLOCK=512)
        return y
