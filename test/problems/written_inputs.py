"""A program that writes into what it is given: a cache of keys, and its own input in place. Kernels leave inputs as they are."""

import torch
import torch.nn as nn

batch, length, width = 3, 8, 6


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.key = nn.Linear(width, width)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x, cache, position):
        cache[:, position] = self.key(x[:, -1])
        scores = torch.einsum("bd,bld->bl", x[:, -1], cache)
        return scores.softmax(-1), self.act(x)


def get_inputs():
    return [torch.randn(batch, length, width), torch.randn(batch, length, width), 3]


def get_init_inputs():
    return [width]
