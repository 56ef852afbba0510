"""LSTMs whose hidden state is projected: two layers both ways, and one without biases from a given state."""

import torch
import torch.nn as nn

batch, length, width, hidden, projected = 3, 6, 10, 12, 5


class Model(nn.Module):
    def __init__(self, width, hidden, projected):
        super().__init__()
        self.deep = nn.LSTM(width, hidden, 2, proj_size=projected, bidirectional=True, batch_first=True)
        self.plain = nn.LSTM(width, hidden, proj_size=projected, bias=False)

    def forward(self, x, start, cell):
        out, (state, cells) = self.deep(x)
        again, (last, _) = self.plain(x.transpose(0, 1), (start, cell))
        return out, state, cells, again, last


def get_inputs():
    return [torch.randn(batch, length, width), torch.randn(1, batch, projected), torch.randn(1, batch, hidden)]


def get_init_inputs():
    return [width, hidden, projected]
