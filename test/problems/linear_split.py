"""A product large enough to be made of three products of 16-bit numbers, with an epilogue; one operand lies transposed, one not."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.layer = nn.Linear(width, out)

    def forward(self, x, y):
        return torch.relu(self.layer(x)) @ y


def get_inputs():
    return [torch.randn(1024, 1024), torch.randn(1024, 1024)]


def get_init_inputs():
    return [1024, 1024]
