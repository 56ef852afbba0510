"""One step each of the three recurrent cells."""

import torch
import torch.nn as nn

batch = 6
features = 11
hidden = 14

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTMCell(features, hidden)
        self.gru = nn.GRUCell(features, hidden)
        self.rnn = nn.RNNCell(features, hidden, nonlinearity="relu")

    def forward(self, x, h, c):
        h1, c1 = self.lstm(x, (h, c))
        return h1, c1, self.gru(x, h1), self.rnn(x, h)


def get_inputs():
    return [torch.randn(batch, features), torch.randn(batch, hidden), torch.randn(batch, hidden)]


def get_init_inputs():
    return []
