"""Exponential."""

import torch
import torch.nn as nn

batch_size = 16
dim = 200


class Model(nn.Module):
    def forward(self, x):
        return torch.exp(x)


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return []
