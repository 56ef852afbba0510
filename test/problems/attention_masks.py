"""Attention with a mask that is added, with one of truth values that leaves a row nothing, and heads of odd widths."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 2
heads = 3
queries = 37
keys = 53


class Model(nn.Module):
    def forward(self, q, k, v, bias):
        allowed = torch.logical_and(bias[0, 0] > -1.0, torch.arange(bias.shape[-2], device=bias.device)[:, None] != 5)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias), F.scaled_dot_product_attention(-q, k, v, attn_mask=allowed, scale=0.3)


def get_inputs():
    return [torch.randn(batch_size, heads, queries, 24), torch.randn(batch_size, heads, keys, 24), torch.randn(batch_size, heads, keys, 19),
            torch.randn(1, heads, queries, keys)]


def get_init_inputs():
    return []
