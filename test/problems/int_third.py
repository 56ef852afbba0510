"""Integer division of counts by 3."""

import torch
import torch.nn as nn

n = 3000


class Model(nn.Module):
    def forward(self, x):
        return x // 3


def get_inputs():
    return [torch.randint(0, 1000, (n,), dtype=torch.int32)]


def get_init_inputs():
    return []
