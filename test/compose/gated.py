"""A small program in three parts, two of which have kernels and helpers of the same name."""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.gate = nn.Parameter(torch.randn(features))
        self.shift = nn.Parameter(torch.randn(features))

    def forward(self, x):
        scaled = x * self.gate
        high, low = scaled.clamp(min=0.0), scaled.clamp(max=0.0)
        return {"shifted": high * self.shift, "low": low}


def get_inputs():
    return [torch.randn(48, 100)]


def get_init_inputs():
    return [100]
