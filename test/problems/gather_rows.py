"""Rows of a table picked by an index vector."""

import torch
import torch.nn as nn

rows = 50
dim = 32
picks = 30


class Model(nn.Module):
    def forward(self, table, index):
        return table[index]


def get_inputs():
    return [torch.randn(rows, dim), torch.randint(0, rows, (picks,))]


def get_init_inputs():
    return []
