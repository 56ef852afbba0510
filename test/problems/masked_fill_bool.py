"""Elements under a boolean mask become zero."""

import torch
import torch.nn as nn

rows, columns = 40, 70


class Model(nn.Module):
    def forward(self, x, mask):
        return x.masked_fill(mask, 0.0)


def get_inputs():
    return [torch.randn(rows, columns), torch.rand(rows, columns) > 0.5]


def get_init_inputs():
    return []
