"""Embedding, then layer norm."""

import torch
import torch.nn as nn

words = 50
width = 48

class Model(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.emb = nn.Embedding(words, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, idx):
        return self.norm(self.emb(idx))


def get_inputs():
    return [torch.randint(0, words, (4, 12))]


def get_init_inputs():
    return [words, width]
