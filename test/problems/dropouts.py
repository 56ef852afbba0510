"""Every dropout of torch.nn, as drawn in training."""

import torch
import torch.nn as nn

batch, channels, side = 3, 6, 5


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Dropout(0.3), nn.Dropout2d(0.4), nn.AlphaDropout(0.2), nn.FeatureAlphaDropout(0.3), nn.Dropout(0.9).eval()])
        self.line = nn.Dropout1d(0.5)

    def forward(self, x):
        return tuple(layer(x) for layer in self.layers) + (self.line(x[:, :, 0]),)


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return []
