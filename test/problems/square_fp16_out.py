"""Square of a float32 matrix, given back in float16."""

import torch
import torch.nn as nn

batch_size = 16
dim = 200


class Model(nn.Module):
    def forward(self, x):
        return (x * x).half()


def get_inputs():
    return [torch.randn(batch_size, dim)]


def get_init_inputs():
    return []
