"""Numbers drawn inside the program."""

import torch
import torch.nn as nn

rows, columns = 5, 8


class Model(nn.Module):
    def forward(self, x):
        noise = torch.empty_like(x).uniform_(-1.0, 1.0)
        return (x + torch.rand_like(x), x * torch.randn(rows, columns), x + noise, torch.empty_like(x).normal_(1.0, 2.0) * x, torch.normal(0.5, 2.0, (rows, columns)) + x,
                x + torch.randint(0, 9, (rows, columns)), torch.nn.functional.gumbel_softmax(x, tau=0.7))


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
