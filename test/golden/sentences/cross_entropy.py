"""cross entropy loss for (32, 50)

Understood as: cross entropy of x and y; float32 x (32, 50), y (32,) of class numbers; result one number.
"""

import torch
import torch.nn as nn

rows = 32
columns = 50


class Model(nn.Module):
    def forward(self, x, y):
        return nn.functional.cross_entropy(x, y)


def get_inputs():
    return [torch.randn(rows, columns), torch.randint(0, columns, (rows,))]


def get_init_inputs():
    return []
