"""A grouped transposed convolution whose padding differs along every dimension."""

import torch
import torch.nn as nn

batch, channels, depth, height, width = 1, 4, 3, 4, 5


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.up = nn.ConvTranspose3d(channels, channels, (3, 5, 7), stride=2, padding=(1, 2, 3), output_padding=1, groups=2, bias=False)

    def forward(self, x):
        return self.up(x)


def get_inputs():
    return [torch.randn(batch, channels, depth, height, width)]


def get_init_inputs():
    return [channels]
