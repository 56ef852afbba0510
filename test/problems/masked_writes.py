"""Elements chosen by a condition: set to a number, and replaced by the next values of a list."""

import torch
import torch.nn as nn

rows = 12
cols = 16

class Model(nn.Module):
    def forward(self, x, source):
        y = x.clone()
        y[x > 1] = 0.5
        return y, x.masked_scatter(x < 0, source)


def get_inputs():
    return [torch.randn(rows, cols), torch.randn(rows, cols)]


def get_init_inputs():
    return []
