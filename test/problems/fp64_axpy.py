"""a * x + y in float64."""

import torch
import torch.nn as nn

n = 3000


class Model(nn.Module):
    def forward(self, x, y):
        return 2.5 * x + y


def get_inputs():
    return [torch.randn(n, dtype=torch.float64), torch.randn(n, dtype=torch.float64)]


def get_init_inputs():
    return []
