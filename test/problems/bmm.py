"""Batched matrix product."""

import torch
import torch.nn as nn

B = 4
M = 24
K = 32
N = 20


class Model(nn.Module):
    def forward(self, a, b):
        return torch.bmm(a, b)


def get_inputs():
    return [torch.randn(B, M, K), torch.randn(B, K, N)]


def get_init_inputs():
    return []
