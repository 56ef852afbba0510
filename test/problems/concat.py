"""Two matrices side by side."""

import torch
import torch.nn as nn

batch_size = 20
left = 40
right = 33


class Model(nn.Module):
    def forward(self, a, b):
        return torch.cat([a, b], dim=1)


def get_inputs():
    return [torch.randn(batch_size, left), torch.randn(batch_size, right)]


def get_init_inputs():
    return []
