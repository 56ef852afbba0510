"""matmul of (32, 48) and (48, 24) in fp16

Understood as: matmul of x and y; float16 x (32, 48), y (48, 24); result (32, 24).
"""

import torch
import torch.nn as nn

m = 32
k = 48
n = 24


class Model(nn.Module):
    def forward(self, x, y):
        return torch.matmul(x, y)


def get_inputs():
    return [torch.randn(m, k, dtype=torch.float16), torch.randn(k, n, dtype=torch.float16)]


def get_init_inputs():
    return []
