"""What remains where large terms cancel: taken apart pair by pair they leave no rounding error, taken in other pairs they do."""

import torch
import torch.nn as nn

n = 4096


class Model(nn.Module):
    def forward(self, x, y):
        return (x - y).sum(0, keepdim=True)


def get_inputs():
    x = torch.randn(n)
    return [x, x + 0.05 * torch.randn(n)]


def get_init_inputs():
    return []
