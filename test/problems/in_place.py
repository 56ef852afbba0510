"""A program that writes in place all the time."""

import torch
import torch.nn as nn

rows, columns = 8, 12


class Model(nn.Module):
    def forward(self, x):
        y = x.clone().mul_(2.0).add_(1.0)
        y[:, 0] = 5.0
        y[1:3] += x[1:3]
        y.relu_()
        z = torch.empty_like(x)
        z.copy_(y).clamp_(0.0, 3.0)
        z.masked_fill_(x < -1, -7.0)
        w = torch.zeros(rows, columns)
        w[:, ::2] = x[:, ::2]
        w.fill_diagonal_(2.5)
        return y, z, w.sub_(x).detach_(), torch.nn.functional.silu(z, inplace=True)


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
