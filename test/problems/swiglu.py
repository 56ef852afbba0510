"""SwiGLU gate: silu of the left half times the right half."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 16
dim = 120


class Model(nn.Module):
    def forward(self, x):
        gate, value = x.chunk(2, dim=-1)
        return F.silu(gate) * value


def get_inputs():
    return [torch.randn(batch_size, 2 * dim)]


def get_init_inputs():
    return []
