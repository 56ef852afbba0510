"""Exact GELU in float16."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 16
dim = 200


class Model(nn.Module):
    def forward(self, x):
        return F.gelu(x)


def get_inputs():
    return [torch.randn(batch_size, dim).half()]


def get_init_inputs():
    return []
