"""Norms that use the statistics they have gathered, beside one of the same kind that does not."""

import torch
import torch.nn as nn

batch, channels, side = 2, 4, 5


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.batch = nn.BatchNorm2d(channels).eval()
        self.instance = nn.InstanceNorm2d(channels, affine=True, track_running_stats=True).eval()
        self.training_one = nn.InstanceNorm2d(channels, affine=True)

    def forward(self, x):
        return self.training_one(torch.relu(self.instance(self.batch(x))))


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return []
