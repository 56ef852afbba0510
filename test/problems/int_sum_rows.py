"""Row sums of int32 numbers, in int64 as PyTorch has them."""

import torch
import torch.nn as nn

rows, columns = 24, 200


class Model(nn.Module):
    def forward(self, x):
        return x.sum(dim=1)


def get_inputs():
    return [torch.randint(-100, 100, (rows, columns), dtype=torch.int32)]


def get_init_inputs():
    return []
