"""Transposed convolutions large enough to get their image with the channels last: a phase of the first has one or two taps per dimension, the second has no stride."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.ConvTranspose2d(62, 96, 3, stride=2, padding=1, output_padding=(1, 0))
        self.second = nn.ConvTranspose2d(96, 64, (3, 2), padding=(1, 0), dilation=(1, 2), bias=False)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def get_inputs():
    return [torch.randn(16, 62, 56, 56)]


def get_init_inputs():
    return []
