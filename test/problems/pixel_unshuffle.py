"""Pixels moved into channels, channels shuffled, and back."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 2
channels = 4
height = 6
width = 8

class Model(nn.Module):
    def forward(self, x):
        y = F.pixel_unshuffle(x, 2)
        return F.pixel_shuffle(F.channel_shuffle(y, 4), 2) + x


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
