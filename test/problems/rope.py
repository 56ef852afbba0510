"""Rotary position embedding, halves of each head rotated."""

import torch
import torch.nn as nn

batch, length, heads, width = 2, 33, 4, 32

class Model(nn.Module):
    def forward(self, x, cos, sin):
        half = x.shape[-1] // 2
        x1, x2 = x[..., :half], x[..., half:]
        c, s = cos[None, :, None, :], sin[None, :, None, :]
        return torch.cat([x1 * c - x2 * s, x2 * c + x1 * s], dim=-1)


def angles():
    frequencies = 1.0 / 10000 ** (torch.arange(0, width, 2).float() / width)
    return torch.outer(torch.arange(length).float(), frequencies)


def get_inputs():
    return [torch.randn(batch, length, heads, width), angles().cos(), angles().sin()]


def get_init_inputs():
    return []
