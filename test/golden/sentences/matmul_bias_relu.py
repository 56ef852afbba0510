"""matmul of (32, 48) and (48, 24) then bias then relu

Understood as: matmul of x and y, then bias (24,), then relu; float32 x (32, 48), y (48, 24); result (32, 24).
"""

import torch
import torch.nn as nn

m = 32
k = 48
n = 24


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(n))

    def forward(self, x, y):
        x = torch.matmul(x, y)
        x = x + self.bias
        return torch.relu(x)


def get_inputs():
    return [torch.randn(m, k), torch.randn(k, n)]


def get_init_inputs():
    return [n]
