"""A fully connected layer whose bias starts at zero, as many initialisers leave it."""

import torch
import torch.nn as nn

batch_size = 20
in_features = 64
out_features = 48


class Model(nn.Module):
    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x):
        return self.fc(x)


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
