"""Images read along an affine grid, with zeros, with the border's value and with the mirrored image outside."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 2
channels = 3
height = 7
width = 9

class Model(nn.Module):
    def forward(self, x, eighths):
        grid = F.affine_grid(eighths / 8.0, x.shape, align_corners=False)
        zeros = F.grid_sample(x, grid, align_corners=False)
        border = F.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=True)
        return zeros, border, F.grid_sample(x, grid, padding_mode="reflection", align_corners=False)


def get_inputs():
    return [torch.randn(batch, channels, height, width), torch.randint(-16, 16, (batch, 2, 3))]


def get_init_inputs():
    return []
