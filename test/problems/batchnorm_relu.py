"""Batch norm in training mode, then ReLU."""

import torch
import torch.nn as nn

batch, channels, height, width = 4, 6, 9, 11

class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu(self.bn(x))


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [channels]
