"""Average and power pools: one to three dimensions, padding, ceil mode, adaptive sizes."""

import torch
import torch.nn as nn

batch, channels, side = 2, 3, 9


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), nn.AvgPool2d(2, ceil_mode=True), nn.AvgPool2d(3, divisor_override=4),
            nn.LPPool2d(2, 3, 2), nn.AdaptiveAvgPool2d((4, None)), nn.AdaptiveAvgPool2d(1), nn.AvgPool3d(2), nn.AdaptiveAvgPool3d(2)])
        self.lines = nn.ModuleList([nn.AvgPool1d(3, 2, 1), nn.LPPool1d(2, 2), nn.AdaptiveAvgPool1d(4)])

    def forward(self, x):
        return tuple(layer(x) for layer in self.layers) + tuple(layer(x[:, 0]) for layer in self.lines)


def get_inputs():
    return [torch.rand(batch, channels, side, side) + 0.1]


def get_init_inputs():
    return []
