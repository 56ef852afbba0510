"""Images resized to three halves and to two thirds of their extents, which the program itself computes."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch, channels, height, width = 2, 3, 12, 15


class Model(nn.Module):
    def forward(self, x):
        larger = F.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=False, recompute_scale_factor=True)
        smaller = F.interpolate(x, size=(x.shape[2] * 2 // 3, int(x.shape[3] * 0.75)), mode="area")
        return larger, smaller, F.interpolate(x, scale_factor=(0.5, 2), mode="nearest-exact")


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
