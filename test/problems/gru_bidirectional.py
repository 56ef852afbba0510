"""Two gated recurrent layers that read the sequence from both ends."""

import torch
import torch.nn as nn

steps = 4
batch = 3
features = 10
hidden = 17

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(features, hidden, num_layers=2, bidirectional=True)

    def forward(self, x):
        y, h = self.gru(x)
        return y, h


def get_inputs():
    return [torch.randn(steps, batch, features)]


def get_init_inputs():
    return []
