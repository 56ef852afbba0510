"""Other shapes of the same program: up to three, each seen to run and to give no NaN.

Only constants of class 1 are changed (the weights must stay what they are), to sizes on which block-wise code trips:
one more than given, an odd size, one.
"""

from __future__ import annotations

from typing import Any

from ka_bridge import modes, runs, weights
from ka_bridge.cost import Request, run_once, trial_device
from ka_bridge.problem import ProblemError
from ka_bridge.scale import Scaled
from ka_bridge.sizes import SizedSource

LIMIT = 3
MOST_TRIES = 8
LONG_PROGRAM_OPS = 300


def find(source: SizedSource, request: Request, seed: int, scaled: Scaled) -> dict[str, dict[str, int]]:
    """Variant name -> all sizes."""
    shapes = [tuple(w.tensor.shape) for w in weights.collect(scaled.model)]
    names = [c.name for c in source.constants if c.first_class and c.extents]
    found: dict[str, dict[str, int]] = {}
    device = trial_device(request, scaled.inputs)
    tries = LIMIT if scaled.first.observed.op_count > LONG_PROGRAM_OPS else MOST_TRIES
    for name, value in proposals(names, scaled.sizes)[:tries]:
        sizes = {**scaled.sizes, name: value}
        if len(found) < LIMIT and value != scaled.sizes[name] and _runs(source, request, sizes, seed, shapes, device):
            found[f"{name}={value}"] = sizes
    source.compile(scaled.sizes)
    return found


def proposals(names: list[str], sizes: dict[str, int]) -> list[tuple[str, int]]:
    """One more for the first constant, an odd size for the last, one for the first; then what is left of these."""
    if not names:
        return []
    first, last = names[0], names[-1]
    wanted = [(first, sizes[first] + 1), (last, _odd(sizes[last])), (first, 1)]
    for name in names:
        wanted += [(name, sizes[name] + 1), (name, _odd(sizes[name]))]
    unique: dict[tuple[str, int], None] = dict.fromkeys(wanted)
    return list(unique)


def _odd(size: int) -> int:
    """An odd number near three quarters of the size."""
    return max(3, size * 3 // 4 | 1)


def _runs(source: SizedSource, request: Request, sizes: dict[str, int], seed: int, shapes: list[tuple[int, ...]], device: str) -> bool:
    try:
        model, _, run, _ = run_once(request.execute(source, sizes, seed, device), seed)
        return not runs.has_nan(run.outputs) and [tuple(w.tensor.shape) for w in weights.collect(model)] == shapes
    except (ProblemError, modes.Stop):
        return False
