"""Causal scaled dot-product attention of a few heads."""

import torch
import torch.nn as nn

heads = 2
length = 40
head_dim = 16


class Model(nn.Module):
    def forward(self, q, k, v):
        score = q @ k.transpose(-2, -1) / head_dim**0.5
        mask = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device).tril()
        score = score.masked_fill(~mask, float("-inf"))
        return torch.softmax(score, dim=-1) @ v


def get_inputs():
    return [torch.randn(heads, length, head_dim) for _ in range(3)]


def get_init_inputs():
    return []
