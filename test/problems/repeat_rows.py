"""One row repeated many times."""

import torch
import torch.nn as nn

copies = 30
dim = 64


class Model(nn.Module):
    def forward(self, x):
        return x.unsqueeze(0).repeat(copies, 1)


def get_inputs():
    return [torch.randn(dim)]


def get_init_inputs():
    return []
