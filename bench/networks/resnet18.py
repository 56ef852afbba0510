"""A residual network as deep as ResNet-18: some twenty convolutions, most of them too small to keep a GPU busy at a small batch."""

import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, taken: int, made: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(taken, made, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(made)
        self.conv2 = nn.Conv2d(made, made, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(made)
        self.short = nn.Sequential(nn.Conv2d(taken, made, 1, stride, bias=False), nn.BatchNorm2d(made)) if taken != made else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(y)) + self.short(x))


class Model(nn.Module):
    def __init__(self, width: int, blocks: int, classes: int):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        layers = []
        for stage in range(4):
            made = width << stage
            for block in range(blocks):
                first = block == 0
                layers.append(Block(made // 2 if first and stage else made, made, 2 if first and stage else 1))
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(width * 8, classes)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")  # else nothing of the image is left at the end

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.layers(self.stem(x))
        return self.head(x.mean(dim=(2, 3)))


batch_size = 1
side = 224
width = 64
blocks = 2
classes = 1000


def get_inputs():
    return [torch.randn(batch_size, 3, side, side)]


def get_init_inputs():
    return [width, blocks, classes]
