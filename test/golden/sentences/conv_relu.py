"""conv2d 3x3 with 6 filters and relu on (2, 3, 12, 12)

Understood as: conv2d 3x3, stride 1, padding 0, 6 filters with bias, then relu; float32 x (2, 3, 12, 12); result (2, 6, 10, 10).
"""

import torch
import torch.nn as nn

batch = 2
channels = 3
height = 12
width = 12
filters = 6


class Model(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, stride=1, padding=0)

    def forward(self, x):
        x = self.conv(x)
        return torch.relu(x)


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [channels, filters]
