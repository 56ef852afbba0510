"""The piecewise activations of torch.nn."""

import torch
import torch.nn as nn

rows, columns = 24, 36


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Hardshrink(0.4), nn.Hardsigmoid(), nn.Hardtanh(-0.5, 0.8), nn.Hardswish(), nn.LeakyReLU(0.2), nn.PReLU(),
            nn.PReLU(columns), nn.ReLU(), nn.ReLU6(), nn.RReLU().eval(), nn.Softshrink(0.3), nn.Threshold(0.1, -2.0)])

    def forward(self, x):
        return tuple(layer(x) for layer in self.layers)


def get_inputs():
    return [torch.randn(rows, columns) * 3]


def get_init_inputs():
    return []
