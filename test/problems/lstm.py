"""A long short-term memory of two layers, with the states that it starts from and ends with."""

import torch
import torch.nn as nn

batch = 5
steps = 4
features = 12
hidden = 20

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, num_layers=2, batch_first=True)

    def forward(self, x, h0, c0):
        y, (h, c) = self.lstm(x, (h0, c0))
        return y, h, c


def get_inputs():
    return [torch.randn(batch, steps, features), torch.randn(2, batch, hidden), torch.randn(2, batch, hidden)]


def get_init_inputs():
    return []
