"""Numbers that are off by their last bit: what a program makes of that is noise, which no kernel can be blamed for.

Where large terms cancel, PyTorch's answer may be exact by chance, and a sum in another order is not. Such an order is as good as
any as long as it does no more than a change of the last bit of what was given would do.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


def last_bits(model: Any, inputs: list[Any], seed: int) -> None:
    """Moves every finite number of 32 or 64 bits, of weights and inputs, to one of its neighbours. Zeros stay: they are exact."""
    generator = torch.Generator().manual_seed(seed)
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    if isinstance(model, nn.Module):
        tensors += [*model.parameters(), *model.buffers()]
    with torch.no_grad():
        for tensor in tensors:
            if tensor.dtype in (torch.float32, torch.float64):
                tensor.copy_(_moved(tensor, generator))


def _moved(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    up = (torch.rand(tensor.shape, generator=generator) < 0.5).to(tensor.device)
    towards = torch.where(up, float("inf"), float("-inf")).to(tensor.dtype)
    return torch.where(torch.isfinite(tensor) & (tensor != 0), torch.nextafter(tensor, towards), tensor)
