"""Sum of all elements: a 0-dimensional output."""

import torch
import torch.nn as nn

batch_size = 16
dim = 300


class Model(nn.Module):
    def forward(self, x):
        return torch.sum(x)


def get_inputs():
    return [torch.rand(batch_size, dim)]


def get_init_inputs():
    return []
