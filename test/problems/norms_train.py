"""Norms with batch statistics, which change their running ones."""

import torch
import torch.nn as nn

batch, channels, side = 4, 6, 5


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.BatchNorm1d(channels)
        self.two = nn.BatchNorm2d(channels, momentum=0.3)
        self.three = nn.BatchNorm3d(channels, affine=False)
        self.instance = nn.InstanceNorm2d(channels, affine=True, track_running_stats=True)

    def forward(self, x):
        return (self.one(x.flatten(2)), self.two(x), self.three(x.unsqueeze(2)), self.instance(x))


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return []
