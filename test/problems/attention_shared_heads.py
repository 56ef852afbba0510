"""Attention whose key heads are shared: by flag, by repeating, by expanding; with a mask that hides whole rows."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch, heads, groups, length, width = 2, 4, 2, 9, 8


class Model(nn.Module):
    def forward(self, q, k, v, mask):
        times = heads // groups
        repeated = F.scaled_dot_product_attention(q, k.repeat_interleave(times, 1), v.repeat_interleave(times, 1), is_causal=True)
        wide = k[:, :, None].expand(-1, -1, times, -1, -1).flatten(1, 2), v[:, :, None].expand(-1, -1, times, -1, -1).flatten(1, 2)
        expanded = F.scaled_dot_product_attention(q, *wide, attn_mask=mask)
        return repeated, expanded, F.scaled_dot_product_attention(q, k, v, scale=0.3, enable_gqa=True)


def get_inputs():
    mask = torch.ones(length, length, dtype=torch.bool).tril()
    mask[2] = False
    return [torch.randn(batch, heads, length, width), torch.randn(batch, groups, length, width), torch.randn(batch, groups, length, width), mask]


def get_init_inputs():
    return []
