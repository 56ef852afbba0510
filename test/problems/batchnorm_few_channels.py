"""Batch statistics of three channels with many places each, buffers updated: images are added up first, then the batch."""

import torch
import torch.nn as nn

batch_size = 7
size = 75


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(batch_size, 3, size, size)]


def get_init_inputs():
    return []
