"""Sum of two uint8 vectors, which wraps around at 256."""

import torch
import torch.nn as nn

n = 3000


class Model(nn.Module):
    def forward(self, x, y):
        return x + y


def get_inputs():
    return [torch.randint(0, 100, (n,), dtype=torch.uint8), torch.randint(0, 100, (n,), dtype=torch.uint8)]


def get_init_inputs():
    return []
