"""Plain recurrent layers, tanh then relu, without biases; only the last states are asked for."""

import torch
import torch.nn as nn

steps = 5
batch = 4
features = 9
hidden = 12

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.RNN(features, hidden, bias=False)
        self.second = nn.RNN(hidden, hidden, nonlinearity="relu", bias=False)

    def forward(self, x):
        y, _ = self.first(x)
        _, h = self.second(y)
        return h.squeeze(0)


def get_inputs():
    return [torch.randn(steps, batch, features)]


def get_init_inputs():
    return []
