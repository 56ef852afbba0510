"""Residual branches of which whole samples are dropped in training, in the three usual spellings."""

import torch
import torch.nn as nn

batch, length, width = 6, 5, 8


class DropPath(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0.0:
            return x
        keep = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(1 - self.p)
        return x * keep.div_(1 - self.p)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.drop = DropPath(0.4)
        self.never = DropPath(0.0)

    def forward(self, x):
        x = x + self.drop(self.first(x))
        keep = torch.floor(0.7 + torch.rand(x.shape[0], 1, 1, dtype=x.dtype, device=x.device))
        x = x + self.second(x).div(0.7) * keep
        mask = torch.full((x.shape[0], 1, 1), 0.5, device=x.device).bernoulli_(0.5)
        return x + self.never(torch.tanh(x)) * mask


def get_inputs():
    return [torch.randn(batch, length, width)]


def get_init_inputs():
    return []
