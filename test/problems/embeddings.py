"""Tables read by number: padding index, bags, one-hot rows."""

import torch
import torch.nn as nn
import torch.nn.functional as F

entries, width, batch, length = 20, 6, 4, 5


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(entries, width, padding_idx=3)
        self.total = nn.EmbeddingBag(entries, width, mode="sum")
        self.mean = nn.EmbeddingBag(entries, width, mode="mean", padding_idx=1)
        self.largest = nn.EmbeddingBag(entries, width, mode="max")

    def forward(self, tokens, flat, offsets):
        return (self.table(tokens), self.total(tokens), self.mean(tokens), self.largest(flat, offsets), F.one_hot(tokens, 20), F.one_hot(tokens, 20).float() @ self.table.weight)


def get_inputs():
    return [torch.randint(0, entries, (batch, length)), torch.randint(0, entries, (batch * length,)), torch.tensor([0, 3, 3, 9])]


def get_init_inputs():
    return []
