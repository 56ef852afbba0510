"""A small image classifier in training mode: convolutions with batch statistics, a residual block with squeeze and excitation, pooling, dropout, a head.

One kernel file for the whole network; blocks of the same form share their kernels, and the running statistics are updated as PyTorch does it."""

import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, channels // 4, 1), nn.ReLU(), nn.Conv2d(channels // 4, channels, 1), nn.Sigmoid())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.body(x)
        return torch.relu(x + y * self.gate(y))


class Model(nn.Module):
    def __init__(self, channels: int, classes: int):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, channels, 3, stride=2, padding=1), nn.BatchNorm2d(channels), nn.SiLU())
        self.blocks = nn.ModuleList([Block(channels), Block(channels)])
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(channels, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=(2, 3)))


batch_size = 4
side = 16
channels = 16
classes = 10


def get_inputs():
    return [torch.randn(batch_size, 3, side, side)]


def get_init_inputs():
    return [channels, classes]
