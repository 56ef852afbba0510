"""BatchNorm2d in training mode: the statistics of the batch normalise it and the running ones are updated."""

import torch
import torch.nn as nn

batch_size = 8
channels = 6
height = 9
width = 10


class Model(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        return self.bn(x)


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels]
