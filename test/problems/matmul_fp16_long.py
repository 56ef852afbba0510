"""Matrix product in float16 over a long inner dimension."""

import torch
import torch.nn as nn

M = 16
K = 1024
N = 16


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    return [torch.rand(M, K).half(), torch.rand(K, N).half()]


def get_init_inputs():
    return []
