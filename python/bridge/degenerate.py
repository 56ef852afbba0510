"""Whether a program's results say anything about its inputs: a kernel for one whose results do not need not look at them, and how fast it is tells nothing."""

from __future__ import annotations

from typing import Any, Callable

import torch
import torch.utils._pytree as trees


def why_degenerate(model: Callable[..., Any], sets: list[list[Any]]) -> str | None:
    """Why they do not, at these draws of the inputs (two are looked at); empty where they do, nothing where there is no room to look."""
    sets = sets[:2]
    try:
        found = [[t for t in trees.tree_leaves(model(*inputs)) if isinstance(t, torch.Tensor)] for inputs in sets]
        return _why(sets, found)
    except torch.cuda.OutOfMemoryError:
        return None


def _why(sets: list[list[Any]], found: list[list[torch.Tensor]]) -> str:
    size = sum(t.numel() for t in found[0])
    if size == 0:
        return "the results are empty"
    if all(t.numel() > 1 and _same(t, t.flatten()[0].expand_as(t)) for t in found[0]):
        return "every element of a result has the same value"
    telling = size > 1 or found[0][0].is_floating_point()  # a number that only counts may be the same by chance
    if telling and len(sets) > 1 and not _same_all(sets[0], sets[1]) and _same_all(found[0], found[1]):
        return "the results are the same for other inputs"
    return ""


def _same(a: Any, b: Any) -> bool:
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return type(a) is type(b) and a == b
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())


def _same_all(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(map(_same, a, b))
