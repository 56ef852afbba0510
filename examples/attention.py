"""Causal self-attention with a rotary embedding: three projections, then scores, softmax and mixture in one kernel; the scores are never in memory."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def rotated(self, x: torch.Tensor) -> torch.Tensor:
        length, dim = x.shape[-2:]
        turns = torch.arange(length, device=x.device)[:, None] * 10000.0 ** (-torch.arange(0, dim, 2, device=x.device) / dim)
        first, second = x.chunk(2, dim=-1)
        return torch.cat((first * turns.cos() - second * turns.sin(), second * turns.cos() + first * turns.sin()), dim=-1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = self.rotated(q), self.rotated(k)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        mixed = scores.masked_fill(later, float("-inf")).softmax(dim=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


batch_size = 2
length = 48
width = 64
heads = 4


def get_inputs():
    return [torch.randn(batch_size, length, width)]


def get_init_inputs():
    return [width, heads]
