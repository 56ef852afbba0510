"""State kept in a plain attribute: an argument overwrites it before it is read, so that earlier calls do not matter. A table in
another plain attribute is only read."""

import torch
import torch.nn as nn

rows, inner, outer = 6, 20, 9


class Model(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.memory = torch.zeros(rows, inner)
        self.weights_of_rows = torch.tensor([0.5, -1.25, 2.0, 0.0, 3.5, -0.75])
        self.mix = nn.Linear(2 * inner, inner)
        self.answer = nn.Linear(inner, outer)

    def forward(self, x, memory):
        self.memory.copy_(memory)
        self.memory = torch.sigmoid(self.mix(torch.cat((self.memory, x), dim=-1)))
        return self.answer(self.memory) * self.weights_of_rows[:, None]


def get_inputs():
    return [torch.randn(rows, inner), torch.randn(rows, inner)]


def get_init_inputs():
    return [inner, outer]
