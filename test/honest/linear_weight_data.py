# problem: linear_relu
# expect: accepted
# why: x.cuda() of a CUDA tensor and weight.data change nothing
import torch
import triton
import triton.language as tl


import torch.nn as nn


@triton.jit
def lin(x, w, b, y, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        xv = tl.load(x + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        wv = tl.load(w + rn[:, None] * K + rk[None, :], mask=(rn[:, None] < N) & (rk[None, :] < K), other=0.0)
        acc += tl.dot(xv, tl.trans(wv), input_precision="ieee")
    acc += tl.load(b + rn, mask=rn < N, other=0.0)[None, :]
    acc = tl.maximum(acc, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(y + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self, i, o):
        super(ModelNew, self).__init__()
        self.fc = nn.Linear(i, o)

    @torch.no_grad()
    def forward(self, x):
        if not x.is_cuda:
            raise RuntimeError("CUDA tensor expected")
        x = x.cuda().contiguous()
        w = self.fc.weight.data
        b = self.fc.bias.detach()
        y = torch.empty(x.shape[0], w.shape[0], device="cuda", dtype=torch.float32)
        lin[(triton.cdiv(x.shape[0], 32), triton.cdiv(w.shape[0], 32))](x, w.contiguous(), b, y, x.shape[0], w.shape[0], x.shape[1], BM=32, BN=32, BK=32)
        return y
