"""Attention with a projection each for queries, keys and values, and normalised queries and keys: launches side by side."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch, length, heads, depth = 2, 12, 3, 16


class Model(nn.Module):
    def __init__(self, heads, depth):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(heads * depth, heads * depth)
        self.key = nn.Linear(heads * depth, heads * depth)
        self.value = nn.Linear(heads * depth, heads * depth)
        self.scale = nn.Parameter(torch.full((2, depth), 1.5))
        self.out = nn.Linear(heads * depth, heads * depth, bias=False)

    def forward(self, x):
        b, s, c = x.shape
        q, k, v = (layer(x).view(b, s, self.heads, -1).transpose(1, 2) for layer in (self.query, self.key, self.value))
        y = F.scaled_dot_product_attention(F.normalize(q, dim=-1) * self.scale[0], F.normalize(k, dim=-1) * self.scale[1], v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(b, s, c))


def get_inputs():
    return [torch.randn(batch, length, heads * depth)]


def get_init_inputs():
    return [heads, depth]
