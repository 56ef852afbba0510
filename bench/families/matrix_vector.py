"""A matrix times a vector: memory-bound."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, x):
        return a @ x


def get_inputs():
    return [torch.randn(4096, 8192), torch.randn(8192)]


def get_init_inputs():
    return []
