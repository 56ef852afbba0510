"""softmax over the last dimension of a 16 x 100 tensor

Understood as: softmax over dim 1; float32 x (16, 100); result (16, 100).
"""

import torch
import torch.nn as nn

rows = 16
columns = 100


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
