"""Activations over a dimension: softmax and its kin, gates."""

import torch
import torch.nn as nn

batch, channels, height = 3, 8, 12


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Softmin(1), nn.Softmax(2), nn.Softmax2d(), nn.LogSoftmax(1), nn.GLU(1)])

    def forward(self, x):
        return tuple(layer(x) for layer in self.layers)


def get_inputs():
    return [torch.randn(batch, channels, height, height)]


def get_init_inputs():
    return []
