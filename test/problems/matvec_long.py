"""Matrix-vector product over a long inner dimension."""

import torch
import torch.nn as nn

M = 8
K = 1500


class Model(nn.Module):
    def forward(self, a, v):
        return torch.mv(a, v)


def get_inputs():
    return [torch.randn(M, K), torch.randn(K)]


def get_init_inputs():
    return []
