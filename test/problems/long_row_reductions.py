"""Every kind of reduction of one row that is longer than a program should read alone."""

import torch
import torch.nn as nn

length = 40009


class Model(nn.Module):
    def forward(self, x):
        flat = x.reshape(-1)
        return flat.sum(), flat.amax(), flat.amin(), (flat * 1e-6 + 1).prod(), (flat > 0.99).any(), (flat > 0.01).all(), flat.argmax(), flat.argmin()


def get_inputs():
    return [torch.rand(2, length)]


def get_init_inputs():
    return []
