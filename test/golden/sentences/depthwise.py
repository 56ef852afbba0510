"""depthwise conv2d 3x3 with padding 1 and without bias on (2, 4, 10, 10)

Understood as: depthwise conv2d 3x3, stride 1, padding 1, 4 filters without bias; float32 x (2, 4, 10, 10); result (2, 4, 10, 10).
"""

import torch
import torch.nn as nn

batch = 2
channels = 4
height = 10
width = 10


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, stride=1, padding=1, groups=channels, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [channels]
