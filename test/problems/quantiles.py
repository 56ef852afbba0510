"""Values looked up by their place among edges (NaN lies behind all of them), and values rounded as a quantised network would round them."""

import torch
import torch.nn as nn

rows, columns, bins = 7, 15, 6


class Model(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.register_buffer("edges", torch.linspace(-2, 2, bins))
        self.value = nn.Embedding(bins + 1, 5)

    def forward(self, x, table):
        right, left = torch.bucketize(x, self.edges, right=True), torch.bucketize(x, self.edges)
        place = torch.searchsorted(table, x[:, :4].contiguous())
        return self.value(right), left, table.gather(1, place.clamp(max=table.shape[1] - 1)), torch.fake_quantize_per_tensor_affine(table, 0.05, 3, 0, 255)


def get_inputs():
    return [torch.randn(rows, columns), torch.randn(rows, columns).sort(1).values]


def get_init_inputs():
    return [bins]
