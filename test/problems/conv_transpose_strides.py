"""Transposed convolutions whose stride leaves taps out: more places than the phases share evenly, fewer taps than strides, what is added afterwards."""

import torch
import torch.nn as nn

side = 7


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.uneven = nn.ConvTranspose2d(4, 6, (3, 5), stride=(2, 3), padding=(1, 0))
        self.gaps = nn.ConvTranspose1d(4, 8, 2, stride=3, groups=2, bias=False)
        self.even = nn.ConvTranspose2d(4, 4, 4, stride=2, padding=1)
        self.several = nn.Conv2d(4, 8, 3, padding=1, groups=4)

    def forward(self, x, y, line):
        a = self.uneven(x) * 0.5 + y
        b = self.gaps(line)
        return a, a.reshape(a.shape[0], 6, -1), torch.relu(b), self.even(x), self.several(x)


def get_inputs():
    return [torch.randn(2, 4, side, 6), torch.randn(1, 6, 2 * side - 1, 20), torch.randn(3, 4, side)]


def get_init_inputs():
    return []
