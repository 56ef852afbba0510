"""A network of depthwise and pointwise convolutions as deep as MobileNet: many short kernels at a small batch."""

import torch
import torch.nn as nn


class Pair(nn.Module):
    def __init__(self, taken: int, made: int, stride: int):
        super().__init__()
        self.deep = nn.Sequential(nn.Conv2d(taken, taken, 3, stride, 1, groups=taken, bias=False), nn.BatchNorm2d(taken), nn.ReLU())
        self.wide = nn.Sequential(nn.Conv2d(taken, made, 1, bias=False), nn.BatchNorm2d(made), nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.wide(self.deep(x))


class Model(nn.Module):
    def __init__(self, width: int, blocks: int, classes: int):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        plan = [(1, 2, 1), (2, 4, 2), (4, 4, 1), (4, 8, 2), (8, 8, 1), (8, 16, 2), *[(16, 16, 1)] * blocks, (16, 32, 2), (32, 32, 1)]
        self.pairs = nn.Sequential(*[Pair(width * taken, width * made, stride) for taken, made, stride in plan])
        self.head = nn.Linear(width * 32, classes)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")  # else nothing of the image is left at the end

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pairs(self.stem(x))
        return self.head(x.mean(dim=(2, 3)))


batch_size = 1
side = 224
width = 32
blocks = 5
classes = 1000


def get_inputs():
    return [torch.randn(batch_size, 3, side, side)]


def get_init_inputs():
    return [width, blocks, classes]
