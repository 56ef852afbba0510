"""A product with a parameter that starts at one, after a bias that starts at zero."""

import torch
import torch.nn as nn

batch_size = 16
dim = 120


class Model(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(dim))
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return torch.tanh(x + self.shift) * self.gain


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return [dim]
