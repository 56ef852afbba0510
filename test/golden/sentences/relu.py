"""Implement ReLU over a contiguous 1D tensor of length 1024

Understood as: relu; float32 x (1024,); result (1024,).
"""

import torch
import torch.nn as nn

length = 1024


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(length)]


def get_init_inputs():
    return []
