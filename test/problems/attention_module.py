"""nn.MultiheadAttention with padding mask, and an encoder layer, without dropout."""

import torch
import torch.nn as nn

batch, length, width, heads = 2, 7, 16, 4


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.layer = nn.TransformerEncoderLayer(width, heads, 32, dropout=0.0, batch_first=True, norm_first=True, activation="gelu")

    def forward(self, x, hidden):
        y, weights = self.attention(x, x, x, key_padding_mask=hidden)
        z, _ = self.attention(x, x, x, need_weights=False)
        return y, weights, z, self.layer(x)


def get_inputs():
    hidden = torch.zeros(batch, length, dtype=torch.bool)
    hidden[:, -2:] = True
    return [torch.randn(batch, length, width), hidden]


def get_init_inputs():
    return []
