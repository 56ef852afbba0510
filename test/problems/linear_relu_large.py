"""A linear layer too large for the interpreter: without a GPU it is scaled down."""

import torch
import torch.nn as nn

batch_size = 1024
features = 4096
hidden = 2048


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.linear = nn.Linear(features, hidden)

    def forward(self, x):
        return torch.relu(self.linear(x))



def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return [features, hidden]
