"""Three outputs of different types; the conversion to integers is open for what they cannot hold."""

import torch
import torch.nn as nn

size = 1000

class Model(nn.Module):
    def forward(self, x, y):
        return x + y, x > y, (x * 2).int()


def get_inputs():
    return [torch.randn(size), torch.randn(size)]


def get_init_inputs():
    return []
