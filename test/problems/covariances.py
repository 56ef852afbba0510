"""Covariances and correlations of rows."""

import torch
import torch.nn as nn

rows, columns = 7, 20


class Model(nn.Module):
    def forward(self, x):
        return torch.cov(x), x.cov(correction=0), torch.corrcoef(x)


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
