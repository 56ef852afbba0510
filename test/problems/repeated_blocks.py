import torch
import torch.nn as nn

batch, channels, side = 2, 8, 24


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)) + x)


class Model(nn.Module):
    """Three equal blocks, and two of other sizes behind a pool."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(Block(channels), Block(channels), Block(channels))
        self.pool = nn.MaxPool2d(2, ceil_mode=True)
        self.widen = nn.Conv2d(channels, 20, 1, stride=2)
        self.second = nn.Sequential(Block(20), Block(20))

    def forward(self, x):
        x = self.widen(self.pool(self.first(x)))
        return self.second(x).mean((2, 3))


def get_inputs():
    return [torch.rand(batch, channels, side, side)]


def get_init_inputs():
    return []
