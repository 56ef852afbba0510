"""Inclusive prefix sum along the rows."""

import torch
import torch.nn as nn

batch_size = 10
dim = 130


class Model(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=1)


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return []
