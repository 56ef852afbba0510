"""argmax over the last dimension of (8, 100)

Understood as: argmax over dim 1; float32 x (8, 100); result (8,).
"""

import torch
import torch.nn as nn

rows = 8
columns = 100


class Model(nn.Module):
    def forward(self, x):
        return torch.argmax(x, dim=-1)


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
