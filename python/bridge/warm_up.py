"""One small program of our own, loaded and drawn once before the first fork.

PyTorch sets up much at its first use (operator tables, shape functions, random generators). What is set up here is
set up in every child; a child that has to do it takes 8 ms longer and touches a fifth more pages of memory.
"""

from __future__ import annotations

import os

from ka_bridge import draws, loading

PROGRAM = """
import torch
import torch.nn as nn

rows = 4
columns = 8


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.linear = nn.Linear(columns, 4)

    def forward(self, x):
        return torch.softmax(torch.relu(self.linear(x)), dim=1)


def get_inputs():
    return [torch.rand(rows, columns)]


def get_init_inputs():
    return [columns]
"""


def run() -> None:
    request = {"mode": "train", "device": "cpu", "seed": 0, "budget": {"elements": 1 << 18, "flops": 1 << 25}}
    state, _ = loading.load(request, PROGRAM, "warm_up.py")
    arena = os.memfd_create("ka_warm_up")
    try:
        draws.draw(state, {"seed": 1, "call_seed": 2, "distribution": "given", "variant": None, "emulate": None}, arena)
    finally:
        os.close(arena)
