"""Smallest and largest element of every row: two outputs."""

import torch
import torch.nn as nn

batch_size = 8
dim = 90


class Model(nn.Module):
    def forward(self, x):
        return torch.amin(x, dim=1), torch.amax(x, dim=1)


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return []
