"""A residual whose branch is tiny: the output is almost the input."""

import torch
import torch.nn as nn

batch_size = 16
dim = 200


class Model(nn.Module):
    def forward(self, x):
        return x + 1e-4 * torch.sin(x)


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return []
