"""Many products of middle size."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.bmm(a, b)


def get_inputs():
    return [torch.randn(64, 512, 512), torch.randn(64, 512, 512)]


def get_init_inputs():
    return []
