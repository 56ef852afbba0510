"""Two gated recurrent layers that read the sequence from both ends."""

import torch
import torch.nn as nn

steps = 4
batch = 3
features = 10
hidden = 17
layers = 2

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(features, hidden, num_layers=layers, bidirectional=True)

    def forward(self, x, h0):
        y, h = self.gru(x, h0)
        return y, h


def get_inputs():
    return [torch.randn(steps, batch, features), torch.randn(2 * layers, batch, hidden)]


def get_init_inputs():
    return []
