"""A table filled entry by entry, each from three neighbours, as alignments do it; and a scan by doubling."""

import torch
import torch.nn as nn
import torch.nn.functional as F

rows, columns, width = 3, 2, 4


class Model(nn.Module):
    def forward(self, x, y, decay):
        apart = (x[:, None] - y[None]).square().sum(-1)
        best = torch.full((rows + 1, columns + 1), 1e6, device=x.device)
        best[0, 0] = 0.0
        for i in range(rows):
            for j in range(columns):
                best[i + 1, j + 1] = apart[i, j] + torch.minimum(torch.minimum(best[i, j + 1], best[i + 1, j]), best[i, j])
        total, factor, step = y.t(), decay, 1
        while step < columns:
            total = total + factor * F.pad(total, (step, 0))[:, :columns]
            factor = factor * F.pad(factor, (step, 0), value=1.0)[:, :columns]
            step *= 2
        return best[rows, columns], total


def get_inputs():
    return [torch.randn(rows, width), torch.randn(columns, width), torch.rand(width, columns)]


def get_init_inputs():
    return []
