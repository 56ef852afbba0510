"""A running sum within each half of a row, seen from its last element."""

import torch
import torch.nn as nn

rows = 6
cols = 32

class Model(nn.Module):
    def forward(self, x):
        total = torch.cumsum(x.reshape(x.shape[0], 2, -1), dim=-1)
        return torch.exp(total[:, :, -1:] - total)


def get_inputs():
    return [torch.rand(rows, cols)]


def get_init_inputs():
    return []
