"""Places in sorted sequences."""

import torch
import torch.nn as nn

rows, columns, borders = 7, 9, 12


class Model(nn.Module):
    def forward(self, x, edges, sorted_rows):
        return (torch.bucketize(x, edges), torch.bucketize(x, edges, right=True), torch.searchsorted(edges, x), torch.searchsorted(sorted_rows, x), torch.searchsorted(sorted_rows, x, side="right"))


def get_inputs():
    return [torch.randn(rows, columns), torch.linspace(-2, 2, borders), torch.linspace(-2, 2, borders).expand(rows, borders).contiguous()]


def get_init_inputs():
    return []
