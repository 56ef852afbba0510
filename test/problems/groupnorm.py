"""GroupNorm of an image batch."""

import torch
import torch.nn as nn

batch_size = 4
channels = 8
groups = 2
height = 6
width = 7


class Model(nn.Module):
    def __init__(self, groups: int, channels: int):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [groups, channels]
