"""The router of a mixture of experts."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores):
        weights, places = torch.topk(torch.softmax(scores, dim=-1), 4, dim=-1)
        return weights / weights.sum(dim=-1, keepdim=True), places


def get_inputs():
    return [torch.randn(65536, 64)]


def get_init_inputs():
    return []
