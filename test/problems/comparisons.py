"""Comparisons and choices."""

import torch
import torch.nn as nn

rows, columns = 9, 14


class Model(nn.Module):
    def forward(self, x, y):
        flag = x > y
        return (flag, x >= y, x < 0, x <= 0.5, x == x.round(), x != y, torch.where(flag, x, y), torch.where(flag, x, 0.0), torch.where(flag, 1.0, y), x.masked_fill(flag, -1.5), x.clamp(-0.5, 0.5), x.clamp_min(0.1), x.clamp_max(0.2),
                torch.maximum(x, y), torch.minimum(x, y), torch.isnan(x), torch.isinf(x), flag.any(1), flag.all(0), torch.isin(x.round().long(), torch.arange(2)), torch.relu(x) - torch.relu(-y), x.eq(y).logical_not())


def get_inputs():
    return [torch.randn(rows, columns), torch.randn(rows, columns)]


def get_init_inputs():
    return []
