"""gemm with m = 32, n = 24 and k = 40, followed by tanh

Understood as: matmul of x and y, then tanh; float32 x (32, 40), y (40, 24); result (32, 24).
"""

import torch
import torch.nn as nn

m = 32
k = 40
n = 24


class Model(nn.Module):
    def forward(self, x, y):
        x = torch.matmul(x, y)
        return torch.tanh(x)


def get_inputs():
    return [torch.randn(m, k), torch.randn(k, n)]


def get_init_inputs():
    return []
