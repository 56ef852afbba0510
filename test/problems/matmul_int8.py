"""A quantised matrix product with a scale per row and per column."""

import torch
import torch.nn as nn

M = 40
N = 48
K = 64

class Model(nn.Module):
    def forward(self, a, b, scale_a, scale_b):
        return (a.int() @ b.int()).float() * scale_a[:, None] * scale_b[None, :]


def get_inputs():
    return [
        torch.randint(-127, 127, (M, K), dtype=torch.int8),
        torch.randint(-127, 127, (K, N), dtype=torch.int8),
        torch.rand(M),
        torch.rand(N),
    ]


def get_init_inputs():
    return []
