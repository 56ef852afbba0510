"""A sum that cancels beside numbers that are rounded: in the second output the last bit of an input decides about a whole step."""

import torch
import torch.nn as nn

n = 4096


class Model(nn.Module):
    def forward(self, x, y):
        return (x - y).sum(0, keepdim=True), torch.round(x * 64)


def get_inputs():
    x = torch.randint(-256, 256, (n,)) / 128
    return [x, x + 0.05 * torch.randn(n)]


def get_init_inputs():
    return []
