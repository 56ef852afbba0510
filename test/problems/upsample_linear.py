"""Linear interpolation in one, two and three dimensions, with and without aligned corners."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 2
channels = 3
height = 6
width = 8

class Model(nn.Module):
    def forward(self, x):
        larger = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True)
        smaller = F.interpolate(x, size=(4, 5), mode="bilinear")
        line = F.interpolate(x.flatten(2), scale_factor=1.5, mode="linear")
        volume = F.interpolate(x.unsqueeze(1), size=(4, 7, 9), mode="trilinear", align_corners=False)
        return larger, smaller, line, volume


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
