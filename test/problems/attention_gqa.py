"""Causal attention in which several query heads share a key head."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch, heads, key_heads, length, width = 2, 4, 2, 48, 32

class Model(nn.Module):
    def forward(self, q, k, v):
        group = q.shape[1] // k.shape[1]
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def get_inputs():
    return [torch.randn(batch, heads, length, width), torch.randn(batch, key_heads, length, width), torch.randn(batch, key_heads, length, width)]


def get_init_inputs():
    return []
