"""Windows of an image, mixed by a product per head: reshapes and permutations there and back around a grouped convolution."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 2
dim = 96


class Mix(nn.Module):
    def __init__(self, dim: int, heads: int, window: int, shift: int):
        super().__init__()
        self.heads, self.window, self.shift = heads, window, shift
        self.norm = nn.LayerNorm(dim)
        self.mix = nn.Conv1d(heads * window**2, heads * window**2, 1, groups=heads)

    def forward(self, x):
        batch, height, width, dim = x.shape
        window, pad = self.window, (self.window - self.shift) % self.window
        y = F.pad(self.norm(x), (0, 0, pad, self.shift, pad, self.shift))
        tall, wide = y.shape[1], y.shape[2]
        y = y.view(batch, tall // window, window, wide // window, window, dim).permute(0, 1, 3, 2, 4, 5).reshape(-1, window**2, dim)
        y = y.view(-1, window**2, self.heads, dim // self.heads).transpose(1, 2)
        y = self.mix(y.reshape(-1, self.heads * window**2, dim // self.heads))
        y = y.view(-1, self.heads, window**2, dim // self.heads).transpose(1, 2).reshape(-1, window, window, dim)
        count = int(y.shape[0] / (tall * wide / window / window))
        y = y.view(count, tall // window, wide // window, window, window, -1).permute(0, 1, 3, 2, 4, 5).reshape(count, tall, wide, -1)
        return x + y[:, pad : tall - self.shift, pad : wide - self.shift]


class Model(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.blocks = nn.Sequential(Mix(dim, 3, 4, 0), Mix(dim, 3, 4, 2))

    def forward(self, x):
        return self.blocks(x)


def get_inputs():
    return [torch.randn(batch_size, 8, 8, dim)]


def get_init_inputs():
    return [dim]
