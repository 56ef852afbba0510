"""A part of the network under autocast, one inside it that is kept at full precision, and a statistic without gradients."""

import torch
import torch.nn as nn

rows, width = 6, 24


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(width, 32)
        self.second = nn.Linear(32, width)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = torch.relu(self.first(x))
            with torch.autocast("cpu", enabled=False):
                spread = h.float().std(dim=-1, keepdim=True)
            h = self.second(h)
        with torch.enable_grad():
            scale = x.detach().abs().mean()
        return h.float() / (spread + 1.0) + x * scale, h


def get_inputs():
    return [torch.randn(rows, width)]


def get_init_inputs():
    return []
