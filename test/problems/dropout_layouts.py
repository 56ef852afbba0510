"""Dropout of tensors that lie in memory in another order, with gaps or in place: PyTorch draws in the order of memory."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch, length, width = 3, 10, 12


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)
        self.drop = nn.Dropout(0.4)
        self.drop_here = nn.Dropout(0.25, inplace=True)
        self.alpha = nn.AlphaDropout(0.3)

    def forward(self, x):
        y = self.project(x)
        turned = self.drop(y.transpose(1, 2)) * 2
        first = self.drop(y[:, : y.shape[1] // 2])
        here = self.drop_here(torch.relu(y).transpose(0, 1))
        alpha = self.alpha(y.permute(2, 0, 1))
        noisy = torch.rand_like(y.transpose(0, 2)) + torch.randn_like(y.transpose(0, 2))
        half = F.dropout(y.half(), 0.7, self.training)
        return turned, first, here, alpha, noisy, half


def get_inputs():
    return [torch.randn(batch, length, width)]


def get_init_inputs():
    return [width]
