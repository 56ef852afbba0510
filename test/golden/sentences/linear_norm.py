"""linear layer with 24 outputs, rms norm and silu on (10, 32)

Understood as: linear from 32 to 24 with bias, then rms norm over dim 1, then silu; float32 x (10, 32); result (10, 24).
"""

import torch
import torch.nn as nn

rows = 10
columns = 32
outputs = 24


class Model(nn.Module):
    def __init__(self, columns, outputs):
        super().__init__()
        self.linear = nn.Linear(columns, outputs)
        self.norm_1 = nn.RMSNorm(outputs)

    def forward(self, x):
        x = self.linear(x)
        x = self.norm_1(x)
        return nn.functional.silu(x)


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return [columns, outputs]
