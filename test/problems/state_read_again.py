"""A buffer whose new values are read by what follows: its old ones may be overwritten once only."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("centre", torch.zeros(width))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.calls.add_(1)
        self.centre.mul_(0.9).add_(x.mean(0), alpha=0.1)
        shifted = x - self.centre
        return torch.softmax(shifted, dim=1) * self.centre.sum() + self.calls


def get_inputs():
    return [torch.randn(48, 40)]


def get_init_inputs():
    return [40]
