"""group norm with 2 groups on (2, 8, 6, 6), then global average pool

Understood as: group norm with 2 groups, then global avg pool; float32 x (2, 8, 6, 6); result (2, 8).
"""

import torch
import torch.nn as nn

batch = 2
channels = 8
height = 6
width = 6


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(2, channels)

    def forward(self, x):
        x = self.norm(x)
        return torch.mean(x, dim=(2, 3))


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [channels]
