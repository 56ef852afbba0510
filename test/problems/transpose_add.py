"""Sum of a transposed and a plain matrix; the first input is a transposed view."""

import torch
import torch.nn as nn

rows = 40
columns = 60


class Model(nn.Module):
    def forward(self, x, y):
        return y + x


def get_inputs():
    return [torch.randn(columns, rows).t(), torch.randn(rows, columns)]


def get_init_inputs():
    return []
