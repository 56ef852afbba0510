"""causal attention with 2 heads, sequence length 32, head dimension 16, batch 2

Understood as: causal attention of q, k, v; float32 q (2, 2, 32, 16), k (2, 2, 32, 16), v (2, 2, 32, 16); result (2, 2, 32, 16).
"""

import torch
import torch.nn as nn

batch = 2
heads = 2
length = 32
head_dim = 16


class Model(nn.Module):
    def forward(self, q, k, v):
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def get_inputs():
    return [torch.randn(batch, heads, length, head_dim), torch.randn(batch, heads, length, head_dim), torch.randn(batch, heads, length, head_dim)]


def get_init_inputs():
    return []
