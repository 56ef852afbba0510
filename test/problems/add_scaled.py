"""x + alpha * y with a Python scalar as third input."""

import torch
import torch.nn as nn

batch_size = 32
dim = 65


class Model(nn.Module):
    def forward(self, x, y, alpha):
        return x + alpha * y


def get_inputs():
    return [torch.randn(batch_size, dim), torch.randn(batch_size, dim), 0.7]


def get_init_inputs():
    return []
