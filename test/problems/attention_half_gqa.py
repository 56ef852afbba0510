"""Causal attention in bfloat16, several query heads to one key head, and the heads joined again behind it."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 2
length = 70


class Model(nn.Module):
    def forward(self, q, k, v):
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return y.transpose(1, 2).reshape(q.shape[0], q.shape[2], 4 * 32) * 2.0


def get_inputs():
    return [torch.randn(batch_size, 4, length, 32).bfloat16(), torch.randn(batch_size, 2, length, 32).bfloat16(), torch.randn(batch_size, 2, length, 32).bfloat16()]


def get_init_inputs():
    return []
