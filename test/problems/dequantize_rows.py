"""int8 numbers times a scale per row."""

import torch
import torch.nn as nn

rows, columns = 24, 200


class Model(nn.Module):
    def forward(self, q, scale):
        return q.float() * scale


def get_inputs():
    return [torch.randint(-50, 50, (rows, columns), dtype=torch.int8), torch.rand(rows, 1)]


def get_init_inputs():
    return []
