"""Two matrix products in bfloat16, one gating the other."""

import torch
import torch.nn as nn
import torch.nn.functional as F

M = 32
N = 48
K = 64

class Model(nn.Module):
    def forward(self, x, gate, up):
        return F.silu(x @ gate) * (x @ up)


def get_inputs():
    return [torch.randn(M, K, dtype=torch.bfloat16), torch.randn(K, N, dtype=torch.bfloat16), torch.randn(K, N, dtype=torch.bfloat16)]


def get_init_inputs():
    return []
