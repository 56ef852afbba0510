"""attention with 4 heads on (2, 24, 32) in fp16

Understood as: attention of q, k, v in 4 heads of 8 features; float16 q (2, 24, 32), k (2, 24, 32), v (2, 24, 32); result (2, 24, 32).
"""

import torch
import torch.nn as nn

batch = 2
length = 24
features = 32
heads = 4


class Model(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, q, k, v):
        return nn.functional.scaled_dot_product_attention(*(t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))).transpose(1, 2).flatten(2)


def get_inputs():
    return [torch.randn(batch, length, features, dtype=torch.float16), torch.randn(batch, length, features, dtype=torch.float16), torch.randn(batch, length, features, dtype=torch.float16)]


def get_init_inputs():
    return [heads]
