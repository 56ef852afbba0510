"""Sum of two bfloat16 matrices."""

import torch
import torch.nn as nn

batch_size = 16
dim = 200


class Model(nn.Module):
    def forward(self, x, y):
        return x + y


def get_inputs():
    return [torch.randn(batch_size, dim).bfloat16(), torch.randn(batch_size, dim).bfloat16()]


def get_init_inputs():
    return []
