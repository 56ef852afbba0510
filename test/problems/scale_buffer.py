"""A matrix scaled by a buffer of the module."""

import torch
import torch.nn as nn

batch_size = 16
dim = 120


class Model(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.register_buffer("gain", torch.linspace(0.5, 2.0, dim))

    def forward(self, x):
        return x * self.gain


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return [dim]
