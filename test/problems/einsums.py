"""Sums of products in index notation."""

import torch
import torch.nn as nn

b, m, n, k = 3, 5, 6, 7


class Model(nn.Module):
    def forward(self, x, y, s):
        return (torch.einsum("bmk,bkn->bmn", x, y), torch.einsum("...mk,...kn->...mn", x, y), torch.einsum("bmk,bmk->bm", x, x),
                torch.einsum("bmk->kb", x), torch.einsum("ii->i", s), torch.einsum("ii", s), torch.einsum("bmk,kj,bjn->mn", x, s, y),
                torch.einsum("bmk,k", x, s[0]), torch.tensordot(x, y, dims=([2], [1])), torch.inner(x, s))


def get_inputs():
    return [torch.randn(b, m, k), torch.randn(b, k, n), torch.randn(k, k)]


def get_init_inputs():
    return []
