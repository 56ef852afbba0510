"""Bicubic interpolation, enlarged with aligned corners and reduced without."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 2
channels = 2
height = 7
width = 9

class Model(nn.Module):
    def forward(self, x):
        return F.interpolate(x, size=(10, 12), mode="bicubic", align_corners=True), F.interpolate(x, scale_factor=0.5, mode="bicubic")


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
