"""Triangles, diagonals and what is made of them."""

import torch
import torch.nn as nn

batch, rows, columns = 2, 6, 8


class Model(nn.Module):
    def forward(self, x):
        m = x[0]
        return (x.tril(), x.triu(1), x.tril(-2), m.diagonal(), m.diagonal(2), x.diagonal(1, 1, 2), torch.diag(m[0]), torch.diag(m, 1), torch.diag_embed(m), torch.diagflat(m[0], 1),
                torch.trace(m.abs()), torch.block_diag(m, x[1]), torch.eye(rows) @ m, torch.triu(torch.ones(rows, rows, dtype=torch.bool), 1), torch.kron(m, x[1]))


def get_inputs():
    return [torch.randn(batch, rows, columns)]


def get_init_inputs():
    return []
