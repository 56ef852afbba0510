"""Slices written by a list of numbers: copied, filled, and added at pairs of indices."""

import torch
import torch.nn as nn

rows = 10
cols = 14
writes = 8

class Model(nn.Module):
    def forward(self, x, first, second, values):
        copied = x.index_copy(0, torch.arange(0, 6, 2), x[3:6] * 2)
        filled = x.index_fill(1, second, -1.0)
        added = x.index_put((first, second), values, accumulate=True)
        return copied, filled, added


def get_inputs():
    return [torch.randn(rows, cols), torch.randint(0, rows, (writes,)), torch.randint(0, cols, (writes,)), torch.randn(writes)]


def get_init_inputs():
    return []
