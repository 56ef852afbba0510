"""Dropout as PyTorch draws it: on a GPU by a kernel of its own, whose mask follows from the shape, the dtype and the layout."""

import torch
import torch.nn as nn
import torch.nn.functional as F

rows, columns = 24, 130


class Model(nn.Module):
    def forward(self, x):
        return F.dropout(x * 2, 0.3, True)


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
