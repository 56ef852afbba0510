"""Queries in groups that share keys and values, turned by their position. No argument shows the number of heads, only the width of all of them."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch, length, heads, groups, depth = 2, 12, 8, 2, 16


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(heads * depth, heads * depth, bias=False)
        self.shared = nn.Linear(heads * depth, 2 * groups * depth, bias=False)
        self.register_buffer("speeds", 1.0 / 100 ** (torch.arange(0, depth, 2).float() / depth))

    def turned(self, x, angles):
        even, odd = x[..., ::2], x[..., 1::2]
        return x * angles.cos() + torch.stack((-odd, even), -1).flatten(-2) * angles.sin()

    def forward(self, x):
        q = self.query(x).view(x.shape[0], x.shape[1], heads, depth).transpose(1, 2)
        k, v = self.shared(x).view(x.shape[0], x.shape[1], 2, groups, depth).permute(2, 0, 3, 1, 4)
        angles = torch.outer(torch.arange(x.shape[1], device=x.device).float(), self.speeds).repeat_interleave(2, -1)
        k, v = (t.repeat_interleave(heads // groups, 1) for t in (self.turned(k, angles), v))
        return F.scaled_dot_product_attention(self.turned(q, angles), k, v, is_causal=True).transpose(1, 2).flatten(2)


def get_inputs():
    return [torch.randn(batch, length, heads * depth)]


def get_init_inputs():
    return []
