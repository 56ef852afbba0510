"""A reduction over a dimension that is not the last."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.sum(dim=1)


def get_inputs():
    return [torch.randn(16, 4096, 512)]


def get_init_inputs():
    return []
