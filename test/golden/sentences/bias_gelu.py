"""fused bias + gelu for (64, 96) bf16

Understood as: bias (96,), then gelu; bfloat16 x (64, 96); result (64, 96).
"""

import torch
import torch.nn as nn

rows = 64
columns = 96


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(columns, dtype=torch.bfloat16))

    def forward(self, x):
        x = x + self.bias
        return nn.functional.gelu(x)


def get_inputs():
    return [torch.randn(rows, columns, dtype=torch.bfloat16)]


def get_init_inputs():
    return [columns]
