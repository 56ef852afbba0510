"""Tensors joined, split and repeated."""

import torch
import torch.nn as nn

rows, columns = 6, 8


class Model(nn.Module):
    def forward(self, x, y):
        first, second = x.split([3, 5], 1)
        grid = torch.meshgrid(x[0], y[:, 0], indexing="ij") + torch.meshgrid(x[0], y[:, 0], indexing="xy")
        return (torch.stack((x, y), 1), torch.cat((x, y), 1), torch.hstack((x, y)), torch.vstack((x, y)), torch.dstack((x, y)), torch.column_stack((x, y)), first * 2, second, *x.chunk(2, 0),
                *x.tensor_split(3, 1), *torch.tensor_split(x, [2, 5], 1), torch.stack((x, y), 1).unbind(1)[1], x.tile(2, 2), x.repeat(2, 1, 3), x.repeat_interleave(2, 1), *grid, torch.outer(x[0], y[1]),
                torch.cartesian_prod(x[0], y[:, 0]), x.split(4, 1)[1], torch.atleast_3d(x), x.unflatten(1, (2, 4)), x.ravel(), x.expand(2, rows, columns))


def get_inputs():
    return [torch.randn(rows, columns), torch.randn(rows, columns)]


def get_init_inputs():
    return []
