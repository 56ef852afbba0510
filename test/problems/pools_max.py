"""Maximum pools: one to three dimensions, padding, dilation, ceil mode, indices, adaptive sizes."""

import torch
import torch.nn as nn

batch, channels, side = 2, 3, 9


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.MaxPool1d(3, 2, 1, return_indices=True)
        self.two = nn.MaxPool2d(3, 2, 1, return_indices=True)
        self.wide = nn.MaxPool2d((2, 3), (1, 2), dilation=(2, 1), ceil_mode=True)
        self.three = nn.MaxPool3d(2, ceil_mode=True, return_indices=True)
        self.adaptive = nn.AdaptiveMaxPool2d((4, 5), return_indices=True)
        self.line = nn.AdaptiveMaxPool1d(3)

    def forward(self, x):
        return (*self.one(x[:, :, 0]), *self.two(x), self.wide(x), *self.three(x), *self.adaptive(x), self.line(x[:, 0]))


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return []
