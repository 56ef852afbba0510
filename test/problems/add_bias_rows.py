"""A row vector added to every row: the output is bigger than either input needs to be."""

import torch
import torch.nn as nn

batch_size = 32
dim = 65


class Model(nn.Module):
    def forward(self, x, b):
        return x + b


def get_inputs():
    return [torch.randn(batch_size, dim), torch.randn(dim)]


def get_init_inputs():
    return []
