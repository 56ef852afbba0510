"""Outer product of two vectors."""

import torch
import torch.nn as nn

M = 50
N = 70


class Model(nn.Module):
    def forward(self, a, b):
        return torch.outer(a, b)


def get_inputs():
    return [torch.randn(M), torch.randn(N)]


def get_init_inputs():
    return []
