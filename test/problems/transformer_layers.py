"""PyTorch's own encoder and decoder layers, in training with dropout and in eval mode, with masks."""

import torch
import torch.nn as nn

batch, length, memory, width, heads = 2, 7, 5, 16, 4


class Model(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(width, heads, 24, dropout=0.1, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(width, heads, 24, dropout=0.2, batch_first=True, norm_first=True)
        self.steady = nn.TransformerEncoderLayer(width, heads, 24, batch_first=True, activation="gelu").eval()

    def forward(self, x, y):
        causal = nn.Transformer.generate_square_subsequent_mask(x.shape[1], device=x.device)
        hidden = torch.arange(y.shape[1], device=y.device).expand(y.shape[0], -1) >= y.shape[1] - 2
        kept = self.steady(self.encoder(y), src_key_padding_mask=hidden)
        return self.decoder(x, kept, tgt_mask=causal, tgt_is_causal=True)


def get_inputs():
    return [torch.randn(batch, length, width), torch.randn(batch, memory, width)]


def get_init_inputs():
    return [width, heads]
