"""Two-dimensional max pooling whose windows overlap: each value is read by up to sixteen results."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, kernel: int, stride: int, padding: int) -> None:
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size=kernel, stride=stride, padding=padding)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(x)


BATCH, CHANNELS, HEIGHT, WIDTH = 32, 64, 512, 512


def get_inputs():
    return [torch.rand(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [4, 1, 1]
