"""A chain of elementwise operations: scale, shift, GELU, clamp."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, factor: float):
        super().__init__()
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.clamp(F.gelu(x * self.factor + 1.0), max=6.0)


batch_size = 64
width = 1024


def get_inputs():
    return [torch.randn(batch_size, width)]


def get_init_inputs():
    return [0.5]
