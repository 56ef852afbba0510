"""Casts between dtypes, and arithmetic that promotes."""

import torch
import torch.nn as nn

rows, columns = 8, 21


class Model(nn.Module):
    def forward(self, x, n):
        half, brain = x.half(), x.to(torch.bfloat16)
        return (half, brain, x.double(), (x * 9).int(), (x * 9).to(torch.int16), x.bool(), n.float(), n.half(), n.to(torch.uint8), half + x, half * 2.5,
                half + brain, n + half, (half * half).float(), n > x, (x > 0).to(x.dtype), n.type_as(x), x.to(half), torch.where(x > 0, n, x))


def get_inputs():
    return [torch.randn(rows, columns), torch.randint(0, 50, (rows, columns))]


def get_init_inputs():
    return []
