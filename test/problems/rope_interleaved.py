"""Rotary position embedding, pairs of neighbours rotated, and by a rotated half."""

import torch
import torch.nn as nn

batch, heads, length, width = 2, 3, 12, 16


class Model(nn.Module):
    def forward(self, x, cos, sin):
        even, odd = x[..., 0::2], x[..., 1::2]
        pairs = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)
        first, second = x.chunk(2, dim=-1)
        turned = torch.cat((-second, first), dim=-1)
        return pairs, x * torch.cat((cos, cos), -1) + turned * torch.cat((sin, sin), -1)


def get_inputs():
    angles = torch.outer(torch.arange(length).float(), 1.0 / 100 ** (torch.arange(0, width, 2).float() / width))
    return [torch.randn(batch, heads, length, width), angles.cos(), angles.sin()]


def get_init_inputs():
    return []
