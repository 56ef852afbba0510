# problem: linear_relu
# expect: accepted
# why: an own linear layer in the style of torch.nn, with __constants__ and reset_parameters
import torch
import triton
import triton.language as tl


import math
import torch.nn as nn
from torch.nn import init
from torch import Tensor


@triton.jit
def lin(x, w, b, y, M, N, K, sxm, sxk, swn, swk, HAS_BIAS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        xv = tl.load(x + rm[:, None] * sxm + rk[None, :] * sxk, mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        wv = tl.load(w + rn[None, :] * swn + rk[:, None] * swk, mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
        acc = tl.dot(xv, wv, acc, input_precision="ieee")
    if HAS_BIAS:
        acc += tl.load(b + rn, mask=rn < N, other=0.0)[None, :]
    acc = tl.where(acc > 0, acc, tl.where(acc != acc, acc, 0.0))
    tl.store(y + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


class TritonLinear(nn.Module):
    __constants__ = ["in_features", "out_features"]
    in_features: int
    out_features: int
    weight: Tensor

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = nn.Parameter(torch.empty((out_features, in_features), **factory_kwargs))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_features, **factory_kwargs))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        M, K = x.shape
        N = self.weight.shape[0]
        y = x.new_empty(M, N)
        lin[(triton.cdiv(M, 32), triton.cdiv(N, 32))](x, self.weight, self.bias if self.bias is not None else x, y, M, N, K, x.stride(0), x.stride(1),
            self.weight.stride(0), self.weight.stride(1), HAS_BIAS=self.bias is not None, BM=32, BN=32, BK=32)
        return y


class ModelNew(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc = TritonLinear(i, o)

    def forward(self, x):
        return self.fc(x)
