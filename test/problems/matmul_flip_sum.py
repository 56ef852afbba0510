"""A product, and the same product upside down: no tile may read what another one of its launch writes."""

import torch
import torch.nn as nn

rows = 40
inner = 24
cols = 36

class Model(nn.Module):
    def forward(self, a, b):
        y = a @ b
        e = torch.exp(-y * y)
        return e + y.flip(0), e.sum(1) + y.flip(1).reshape(-1, cols)[:, 0]


def get_inputs():
    return [torch.randn(rows, inner), torch.randn(inner, cols)]


def get_init_inputs():
    return []
