"""Rolled, flipped, rotated and padded images."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch, channels, height, width = 2, 3, 6, 7


class Model(nn.Module):
    def forward(self, x):
        pads = (1, 2, 2, 1)
        return (torch.roll(x, 2, 3), torch.roll(x, (1, -2), (2, 3)), torch.flip(x, (1, 3)), torch.rot90(x, 1, (2, 3)), torch.rot90(x, 2, (2, 3)),
                F.pad(x, pads), F.pad(x, pads, "constant", 2.5), F.pad(x, pads, "reflect"), F.pad(x, pads, "replicate"), F.pad(x, pads, "circular"),
                x.unfold(3, 3, 2), x.permute(0, 2, 3, 1), x.movedim(1, -1), x.transpose(1, 2), torch.fliplr(x[0, 0]), x[:, :, ::2, 1:-1],
                F.pixel_unshuffle(x[..., :6], 2), F.channel_shuffle(x, 3))


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
