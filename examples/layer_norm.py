"""Layer normalisation with a learned scale and shift."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


batch_size = 32
width = 512


def get_inputs():
    return [torch.randn(batch_size, width)]


def get_init_inputs():
    return [width]
