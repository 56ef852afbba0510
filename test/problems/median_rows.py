"""The median of each row, the fourth smallest of each column, and where new numbers belong among sorted ones."""

import torch
import torch.nn as nn

rows = 9
cols = 24

class Model(nn.Module):
    def forward(self, x, edges):
        sorted_edges = torch.sort(edges).values
        return x.median(dim=1).values, torch.kthvalue(x, 4, dim=0).values, torch.bucketize(x, sorted_edges, right=True)


def get_inputs():
    return [torch.randn(rows, cols), torch.randn(cols)]


def get_init_inputs():
    return []
