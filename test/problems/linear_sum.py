"""A layer whose outputs are only ever added up: the sum goes through the product; reductions of one element fall away."""
import torch
import torch.nn as nn

rows = 48
features_in = 40
features_out = 36


class Model(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        total = torch.sum(self.linear(x) * 0.25, dim=1, keepdim=True)
        top = torch.max(total, dim=1, keepdim=True)[0]
        return torch.logsumexp(torch.mean(top, dim=1, keepdim=True), dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(rows, features_in)]


def get_init_inputs():
    return [features_in, features_out]
