"""sum of squares over dim 0 of (40, 30)

Understood as: square, then sum over dim 0; float32 x (40, 30); result (30,).
"""

import torch
import torch.nn as nn

rows = 40
columns = 30


class Model(nn.Module):
    def forward(self, x):
        x = torch.square(x)
        return torch.sum(x, dim=0)


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
