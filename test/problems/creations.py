"""Tensors that are made, not given."""

import torch
import torch.nn as nn

n, m = 7, 5


class Model(nn.Module):
    def forward(self, x):
        return (x + torch.arange(m), x * torch.arange(1, 2 * m + 1, 2), torch.linspace(0, 1, m) + x, torch.full((n, 2), 7.5), torch.full_like(x, 3), torch.zeros(n), torch.ones(m, dtype=torch.int32),
                x.new_zeros(2), x.new_full((3,), 2.0), torch.eye(m), torch.arange(0, 2, 0.25), torch.empty_like(x).fill_(4.0), torch.ones_like(x, dtype=torch.bool), torch.tensor([1.0, 2.5, -3.0]) * x[0, 0],
                torch.logspace(0, 2, 5), torch.arange(n, 0, -2), torch.scalar_tensor(2.5))


def get_inputs():
    return [torch.randn(n, m)]


def get_init_inputs():
    return []
