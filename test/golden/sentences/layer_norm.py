"""layer norm of (4, 12, 64)

Understood as: layer norm over dim 2; float32 x (4, 12, 64); result (4, 12, 64).
"""

import torch
import torch.nn as nn

batch = 4
length = 12
features = 64


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(batch, length, features)]


def get_init_inputs():
    return [features]
