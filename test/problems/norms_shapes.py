"""Norms over groups, rows, neighbours and weights."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch, channels, side = 4, 6, 8


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.group = nn.GroupNorm(3, channels)
        self.instance = nn.InstanceNorm1d(channels)
        self.layer = nn.LayerNorm((side, side))
        self.rms = nn.RMSNorm(side)
        self.local = nn.LocalResponseNorm(3)
        self.linear = nn.utils.parametrizations.weight_norm(nn.Linear(side, 5))
        self.running = nn.BatchNorm2d(channels).eval()

    def forward(self, x):
        return (self.group(x), self.instance(x.flatten(2)), self.layer(x), self.rms(x), self.local(x), self.linear(x), self.running(x),
                F.normalize(x, dim=1), F.normalize(x, p=1.0, dim=-1))


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return []
