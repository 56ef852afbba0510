"""Sums that are computed in one pass with the maximum or the mean from which they are measured: many rows, too long for registers. Some are -inf all over."""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch, channels, places = 9, 600, 4096


class Model(nn.Module):
    def forward(self, x, hidden):
        scores = x.masked_fill(hidden[:, None] > 1, float("-inf"))
        return F.softmax(scores * 0.5, dim=1).nan_to_num(2.0), torch.logsumexp(scores, dim=1), torch.var(x + 100, dim=1)


def get_inputs():
    return [torch.randn(batch, channels, places), torch.randn(batch, places)]


def get_init_inputs():
    return []
