"""Inputs with -inf at a few places: what masks put into a softmax, a maximum, a pooling window.

PyTorch defines the answer: a probability of 0, a maximum of the others. It is asked for only where every algorithm must agree:
  - a few single places, so that no row, column or window is -inf from end to end (softmax of such a row is NaN in PyTorch,
    0 in many fused kernels);
  - -inf meets nothing but masking arithmetic, softmax, maxima and the like on its way. A sum, a mean or a matrix product of -inf depends on
    how it is computed: compensated sums, Welford's mean and split operands turn it into NaN;
  - neither PyTorch nor its float64 run gives NaN, and both have infinities at the same places.
Inputs are tried one by one; those that qualify get -inf together if that qualifies too, else the first alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ka_bridge import distributions, ops, runs
from ka_bridge.modes import Mode, Stop
from ka_bridge.problem import ProblemError

if TYPE_CHECKING:
    from ka_bridge.draws import Draw

NAME = "masked"
MOST_PLACES = 3
LEAST_ELEMENTS = 16
ORDER_OPS = ops.ATTENTIONS | {
    "_softmax", "_log_softmax", "_safe_softmax", "logsumexp", "amax", "amin", "max", "min", "aminmax", "cummax", "cummin", "sort",
    "topk", "max_pool2d_with_indices", "max_pool3d_with_indices", "adaptive_max_pool2d", "adaptive_max_pool3d"}
_ARITHMETIC = frozenset({"add", "sub", "rsub", "mul", "div", "neg", "exp", "exp2", "where", "masked_fill", "maximum",
                         "minimum", "clamp", "clamp_min", "clamp_max", "relu", "eq", "ne", "lt", "le", "gt", "ge", "isinf",
                         "isneginf", "isfinite", "isnan"})


class OnlyMasking(Mode):
    """Stops a run in which -inf meets an operation where algorithms may differ."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        facts = ops.facts_of(func)
        name = facts.name.rstrip("_")
        factory = facts.is_pointwise and torch.Tag.pointwise not in func.tags  # copies, padding, concatenation
        if not (facts.is_view or factory or name in _ARITHMETIC or name in ORDER_OPS - ops.ATTENTIONS):
            for value in args[:3] if facts.name in ops.ATTENTIONS else args:
                for part in value if isinstance(value, (list, tuple)) else (value,):
                    if isinstance(part, torch.Tensor) and part.is_floating_point() and bool(torch.isinf(part).any()):
                        raise Stop(f"{facts.name} of -inf")
        return func(*args, **(kwargs or {}))


def inputs_of(draw: "Draw", seed: int) -> list[Any] | None:
    """The given inputs with -inf at a few places, or None. Sets draw.native to the run with them."""
    free = [i for i, s in distributions.structures_of(draw.given).items()
            if s == "free" and draw.given[i].numel() >= LEAST_ELEMENTS]
    fitting = [i for i in free if _try(draw, [i], seed) is not None]
    for chosen in (fitting, fitting[:1]):
        inputs = _try(draw, chosen, seed) if chosen else None
        if inputs is not None:
            return inputs
    return None


def _try(draw: "Draw", chosen: list[int], seed: int) -> list[Any] | None:
    generator = torch.Generator().manual_seed(seed)
    inputs = list(draw.given)
    for i in chosen:
        flat = inputs[i].detach().cpu().contiguous().clone().flatten()
        flat[_places(inputs[i], generator)] = float("-inf")
        inputs[i] = distributions.refill(inputs[i], flat.reshape(inputs[i].shape))
    try:
        watched, given = draw.duplicate(draw.pristine), runs.copy_inputs(inputs)
        with OnlyMasking():
            draw.program.call(watched, given, draw.call_seed)
        draw.native = runs.run_native(draw.program, draw.duplicate(draw.pristine), inputs, draw.call_seed)
    except (ProblemError, Stop):
        return None
    wide = draw.wide_outputs(inputs)
    if runs.has_nan(draw.native.outputs) or runs.has_nan(wide) or not runs.same_classes(draw.native.outputs, wide):
        return None
    return inputs


def _places(value: torch.Tensor, generator: torch.Generator) -> list[int]:
    """The first element, then others that share no coordinate with those before: no row or column gets two, except along
    extents that are too short for that."""
    strides = [1]
    for size in reversed(value.shape[1:]):
        strides.insert(0, strides[0] * size)
    found: list[int] = []
    taken: list[set[int]] = [set() for _ in value.shape]
    for place in [0, *torch.randint(value.numel(), (16,), generator=generator).tolist()]:
        at = [place // step % size for step, size in zip(strides, value.shape)]
        if len(found) < MOST_PLACES and not any(c in seen for c, seen, size in zip(at, taken, value.shape) if size > 3):
            found.append(place)
            for coordinate, seen in zip(at, taken):
                seen.add(coordinate)
    return found
