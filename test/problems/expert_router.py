"""Tokens choose two of several experts: weights, the experts' load, a balance loss, and the experts' mixed answers."""

import torch
import torch.nn as nn
import torch.nn.functional as F

tokens, width, experts, chosen = 14, 12, 5, 2


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, 16) * 0.2)
        self.down = nn.Parameter(torch.randn(experts, 16, width) * 0.2)

    def forward(self, x):
        shares = F.softmax(self.gate(x), dim=-1, dtype=torch.float32)
        weights, which = torch.topk(shares, chosen, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        routed = torch.zeros_like(shares).scatter_(-1, which, weights)
        load = F.one_hot(which, experts).float().sum(dim=1).mean(dim=0)
        hidden = F.silu(torch.einsum("nd,edh->enh", x, self.up))
        answers = torch.einsum("enh,ehd->end", hidden, self.down)
        return torch.einsum("ne,end->nd", routed, answers), which, experts * (load * shares.mean(dim=0)).sum()


def get_inputs():
    return [torch.randn(tokens, width)]


def get_init_inputs():
    return []
