"""Means over the rows of a large matrix: no row of the input has an answer of its own."""

import torch
import torch.nn as nn

rows = 16384
columns = 8192


class Model(nn.Module):
    def forward(self, x):
        return torch.mean(x, dim=0)



def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
