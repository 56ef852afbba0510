"""Weights without data are not filled: drawing the numbers of tensors that have none is a fifth of the time of building a module.

What a constructor fills by the functions of `torch.nn.init` is a weight, and where there is no data nothing looks at its numbers. A fake tensor
whose few numbers PyTorch remembers (made by `torch.tensor`) is filled, because a constructor may read them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import torch
from torch.nn import init

FILLING = ("uniform_", "normal_", "trunc_normal_", "ones_", "zeros_", "constant_", "kaiming_uniform_", "kaiming_normal_")


def _unless_weight(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def fill(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(tensor, torch.nn.Parameter) and getattr(tensor, "constant", None) is None:
            return tensor
        return function(tensor, *args, **kwargs)

    return fill


@contextmanager
def weights() -> Iterator[None]:
    """Only for tensors without data."""
    before = {name: getattr(init, name) for name in FILLING}
    try:
        for name, function in before.items():
            setattr(init, name, _unless_weight(function))
        yield
    finally:
        for name, function in before.items():
            setattr(init, name, function)
