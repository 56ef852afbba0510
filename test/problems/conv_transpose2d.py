"""A transposed convolution."""

import torch
import torch.nn as nn

batch, channels_in, channels_out, height, width = 1, 4, 6, 7, 9

class Model(nn.Module):
    def __init__(self, channels_in, channels_out, kernel, stride):
        super().__init__()
        self.up = nn.ConvTranspose2d(channels_in, channels_out, kernel, stride=stride)

    def forward(self, x):
        return self.up(x)


def get_inputs():
    return [torch.randn(batch, channels_in, height, width)]


def get_init_inputs():
    return [channels_in, channels_out, 3, 2]
