"""Very small inputs may leave nothing to compare, however honest a kernel is:

  - Numbers near the end of the range. What is below float32's smallest normal number loses digits, and is zero for some functions of a GPU.
  - Numbers that cancel. Where the probabilities of two softmaxes are equal up to rounding, their difference is rounding and nothing else; PyTorch may
    well get an exact zero where another order of the same operations gets 1e-8.

Vanishing watches a run of the reference. Inputs for which it sees one of these are made less small, or left out.
"""

from __future__ import annotations

from typing import Any

import torch

from ka_bridge import ops
from ka_bridge.modes import Mode

SMALLEST = 2.0**-100  # a float32 of this size times a rounding error is a normal number still
CANCELLED = 2.0**-18
SUMS = frozenset({"add", "sub", "rsub", "add_", "sub_"})
UNDERFLOW = "the reference's numbers come near the end of the range of float32"
CANCELLATION = "the reference takes numbers from each other that are equal up to rounding"


class Vanishing(Mode):
    """Runs ops as they are; `why` says afterwards what was left of the numbers, if nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.why: str | None = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        facts = ops.facts_of(func)
        before = max((_magnitude(a) for a in args), default=0.0) if facts.name in SUMS else 0.0
        result = func(*args, **(kwargs or {}))
        if facts.is_view or facts.name in ops.UNFILLED or self.why is not None:
            return result
        for part in result if isinstance(result, (tuple, list)) else (result,):
            size = _magnitude(part)
            if 0.0 < size < SMALLEST:
                self.why = UNDERFLOW
            elif size < before * CANCELLED:
                self.why = CANCELLATION
        return result


def _magnitude(value: Any) -> float:
    """Of the largest element; 0 for what has no elements, is no floating number or overflows."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.dtype is torch.float64 or value.numel() == 0:
        return 0.0
    size = float(value.detach().abs().amax())
    return size if size < float("inf") else 0.0
