"""Norms of any order, distances, variances."""

import torch
import torch.nn as nn

rows, columns, depth = 6, 10, 8


class Model(nn.Module):
    def forward(self, x, y):
        inf = float("inf")
        orders = tuple(torch.linalg.vector_norm(x, order, dim=1) for order in (0, 1, 2, inf, -inf))
        return orders + (torch.norm(x), torch.norm(x, p="fro", dim=(0, 2)), torch.linalg.matrix_norm(x, ord=1), torch.linalg.norm(x[0], ord=inf),
                         torch.cosine_similarity(x, y, dim=2), torch.pairwise_distance(x, y, p=1.0), torch.cdist(x, y), torch.cdist(x, y, p=1.0),
                         torch.dist(x, y), x.var(dim=(0, 2)), x.std(dim=1, correction=0, keepdim=True), *torch.var_mean(x, dim=2), torch.std(x))


def get_inputs():
    return [torch.randn(rows, columns, depth), torch.randn(rows, columns, depth)]


def get_init_inputs():
    return []
