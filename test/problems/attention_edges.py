"""Attention whose blocks end in many ways: more keys than queries and the other way round, diagonals that hide whole rows, a window, keys that lie transposed, wide and odd heads."""

import torch
import torch.nn as nn
import torch.nn.functional as F

heads = 2
few = 37
many = 150


class Model(nn.Module):
    def forward(self, few_q, many_k, v, transposed, wide):
        causal = F.scaled_dot_product_attention(few_q, many_k, v, is_causal=True), F.scaled_dot_product_attention(many_k, few_q, few_q, is_causal=True)
        later = torch.ones(many_k.shape[-2], many_k.shape[-2], dtype=torch.bool, device=v.device).tril(-3)
        rows = torch.arange(many_k.shape[-2], device=v.device)
        window = (rows[:, None] >= rows[None, :]) & (rows[:, None] - rows[None, :] < 20)
        scores = many_k @ many_k.transpose(-2, -1) / 40**0.5
        hidden = F.scaled_dot_product_attention(many_k, many_k, v, attn_mask=later)
        near = torch.softmax(scores.masked_fill(~window, float("-inf")), -1) @ v
        across = torch.softmax(few_q @ transposed * 0.2, -1) @ v
        return *causal, hidden, near, across, F.scaled_dot_product_attention(wide, wide, wide, is_causal=True, scale=0.05)


def get_inputs():
    return [torch.randn(heads, few, 40).half(), torch.randn(heads, many, 40).half(), torch.randn(heads, many, 80).half(), torch.randn(heads, 40, many).half(), torch.randn(1, many, 256).bfloat16()]


def get_init_inputs():
    return []
