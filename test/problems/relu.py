"""ReLU of a matrix whose inputs are uniform in [0, 1), as the KernelBench problems have it."""

import torch
import torch.nn as nn

batch_size = 16
dim = 300


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.rand(batch_size, dim)]


def get_init_inputs():
    return []
