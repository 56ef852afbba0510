"""The smooth activations of torch.nn."""

import torch
import torch.nn as nn

rows, columns = 24, 36


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.ELU(0.7), nn.SELU(), nn.CELU(0.5), nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.Mish(), nn.Softplus(2.0, 3.0),
            nn.Sigmoid(), nn.LogSigmoid(), nn.Tanh(), nn.Tanhshrink(), nn.Softsign()])

    def forward(self, x):
        return tuple(layer(x) for layer in self.layers)


def get_inputs():
    return [torch.randn(rows, columns) * 3]


def get_init_inputs():
    return []
