"""relu then sum over all elements of an int32 tensor with 1000 elements

Understood as: relu, then sum over all elements; int32 x (1000,); result one number.
"""

import torch
import torch.nn as nn

length = 1000


class Model(nn.Module):
    def forward(self, x):
        x = torch.relu(x)
        return torch.sum(x)


def get_inputs():
    return [torch.randint(-100, 100, (length,), dtype=torch.int32)]


def get_init_inputs():
    return []
