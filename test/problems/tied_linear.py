"""Two layers that share one weight matrix."""

import torch
import torch.nn as nn

batch_size = 20
features = 48


class Model(nn.Module):
    def __init__(self, features: int):
        super().__init__()
        self.first = nn.Linear(features, features, bias=False)
        self.second = nn.Linear(features, features, bias=False)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return [features]
