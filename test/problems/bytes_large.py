"""Bytes, more of them than 32 bits can count: without a GPU it is scaled down."""

import torch
import torch.nn as nn

rows = 40000
columns = 65536


class Model(nn.Module):
    def forward(self, x):
        return x ^ 85



def get_inputs():
    return [torch.randint(0, 256, (rows, columns), dtype=torch.uint8)]


def get_init_inputs():
    return []
