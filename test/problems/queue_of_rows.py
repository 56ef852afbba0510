"""A queue of earlier rows and a running mean, kept as buffers: slices whose ends count from the end by a size of the input."""

import torch
import torch.nn as nn

batch, kept, width = 4, 12, 6


class Model(nn.Module):
    def __init__(self, kept, width):
        super().__init__()
        self.register_buffer("queue", torch.randn(kept, width))
        self.register_buffer("average", torch.zeros(width))
        self.register_buffer("seen", torch.tensor(3))

    def forward(self, x):
        self.average.mul_(0.9).add_(x.mean(0), alpha=0.1)
        self.seen += x.shape[0]
        self.queue.copy_(torch.cat([x, self.queue[: -x.shape[0]]]))
        late = self.queue.clone()
        late[-x.shape[0]:] = x * 2
        return x @ self.queue.T, late, x - self.average / (1 - 0.9 ** self.seen.float())


def get_inputs():
    return [torch.randn(batch, width)]


def get_init_inputs():
    return [kept, width]
