"""3x3 convolution with 4 filters, padding 1, then batch norm, then relu, then 2x2 max pool on (2, 3, 12, 12)

Understood as: conv2d 3x3, stride 1, padding 1, 4 filters with bias, then batch norm of 4 channels, then relu, then max pool 2x2, stride 2, padding 0; float32 x (2, 3, 12, 12); result (2, 4, 6, 6).
"""

import torch
import torch.nn as nn

batch = 2
channels = 3
height = 12
width = 12
filters = 4


class Model(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, stride=1, padding=1)
        self.norm_1 = nn.BatchNorm2d(filters)

    def forward(self, x):
        x = self.conv(x)
        x = self.norm_1(x)
        x = torch.relu(x)
        return nn.functional.max_pool2d(x, 2, stride=2, padding=0)


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [channels, filters]
