"""Square patches of an image, each as one row, times a matrix: the side of a patch shows in no input."""

import torch
import torch.nn as nn

batch = 2
side = 4
across = 3
features = 10

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3 * side * side, features)

    def forward(self, x):
        patches = x.unfold(2, side, side).unfold(3, side, side)
        return self.project(patches.permute(0, 2, 3, 1, 4, 5).reshape(x.shape[0], -1, 3 * side * side))


def get_inputs():
    return [torch.randn(batch, 3, side * across, side * across)]


def get_init_inputs():
    return []
