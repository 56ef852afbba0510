"""Batch norms without a momentum: their running statistics are means over all batches so far."""

import torch
import torch.nn as nn

batch, channels, length = 5, 6, 9


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.line = nn.BatchNorm1d(channels, momentum=None)
        self.image = nn.BatchNorm2d(channels, momentum=None, affine=False)
        self.line.num_batches_tracked.fill_(3)

    def forward(self, x, y):
        return torch.relu(self.line(x)), self.image(y)


def get_inputs():
    return [torch.randn(batch, channels, length), torch.randn(batch, channels, length, 4) + 1]


def get_init_inputs():
    return [channels]
