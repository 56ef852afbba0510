"""Integer and boolean inputs: which of them are data, and the values that such inputs may take.

Integers that are data (they are added, multiplied, compared, reduced) are also drawn over the whole range of their dtype, with
its extremes: PyTorch defines that integers wrap around. Integers that mean something are left as get_inputs draws them: indices,
labels, lengths, offsets, positions, counts. The two are told apart by following the values through the operations of forward
(Follow), and by the values: what is the same for every seed, sorted, constant or 0 and 1 only has a meaning.

Followed values may meet pointwise arithmetic, views, copies and the reductions below; anything else makes their input meaningful, and so do
  - a comparison with another tensor that is not such an input (`arange(n) < lengths`),
  - a softmax of what they select (a row that is masked from end to end has no defined answer),
  - becoming a floating number, for integers of 32 bits and more (positions, counts: sin(2**31) is nobody's business),
  - a division, remainder, power or shift by anything but a harmless number (the smallest integer divided by -1 kills the process).
Where a division, remainder or right shift is among them and no given value is negative, none is drawn: what rounds down
and what rounds to zero agree there. Boolean inputs that vary are drawn all true, all false and at random.
"""

from __future__ import annotations

from typing import Any

import torch

from ka_bridge import distributions, ops, weights
from ka_bridge.modes import Mode, Stop
from ka_bridge.problem import Program, ProblemError, derived_seed

NAMES = ("integers", "true", "false")
OTHER_SEED = 6
INTEGERS = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)
_REDUCTIONS = frozenset({"sum", "amax", "amin", "max", "min", "prod", "any", "all", "cumsum", "cumprod", "cummax", "cummin",
                         "argmax", "argmin", "sort", "topk", "mm", "bmm", "addmm", "dot", "mv", "flip", "roll", "tril",
                         "triu", "aminmax", "mean", "count_nonzero", "repeat", "max_pool2d_with_indices", "floor_divide"})
_ARG = frozenset({"argmax", "argmin", "sort", "topk", "max", "min", "cummax", "cummin", "max_pool2d_with_indices"})
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_DIVISIONS = frozenset({"floor_divide", "div", "remainder", "fmod", "bitwise_right_shift", "__rshift__"})
_BY_NUMBER = _DIVISIONS | {"pow", "bitwise_left_shift", "__lshift__"}
_SOFTMAXES = ops.ATTENTIONS | {"_softmax", "_log_softmax", "_safe_softmax", "logsumexp"}
_NEVER = frozenset({"gcd", "lcm", "ldexp"})


class Follow(Mode):
    """Follows tensors through a run, by the memory they lie in. `meaningful` are the inputs that are no plain data."""

    def __init__(self, inputs: dict[int, torch.Tensor]) -> None:
        super().__init__()
        self.inputs = inputs
        self.sources: dict[int, set[int]] = {}
        self.kept: list[torch.Tensor] = []  # so that no memory is used twice
        self.meaningful: set[int] = set()
        self.divides = False
        for index, value in inputs.items():
            self._mark(value, {index})

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        facts = ops.facts_of(func)
        tensors = [t for a in (*args, *kwargs.values()) for t in _tensors(a)]
        followed = [t for t in tensors if t.untyped_storage()._cdata in self.sources]
        sources = set().union(*(self.sources[t.untyped_storage()._cdata] for t in followed))
        if sources and not self._is_data(facts, args, tensors, followed):
            self.meaningful |= sources
        result = func(*args, **kwargs)
        if sources:
            for position, part in enumerate(_tensors(result)):
                if _changes_kind(part, followed):
                    self.meaningful |= sources
                if facts.name in _ARG and any(t.element_size() == 1 for t in followed):
                    self.meaningful |= sources  # equal values are certain, and which of them comes first is not defined
                if not (facts.name in _ARG and (position == 1 or facts.name.startswith("arg"))):
                    self._mark(part, sources)
        return result

    def _mark(self, value: torch.Tensor, sources: set[int]) -> None:
        self.kept.append(value)
        self.sources.setdefault(value.untyped_storage()._cdata, set()).update(sources)

    def _is_data(self, facts: ops.OpFacts, args: Any, tensors: list[torch.Tensor], followed: list[torch.Tensor]) -> bool:
        if all(t.is_floating_point() for t in followed):
            return facts.name not in _SOFTMAXES  # what has become a floating number is no index
        name = facts.name.rstrip("_") if not facts.name.startswith("__") else facts.name
        if name in _NEVER or not (facts.is_pointwise or name in _REDUCTIONS):
            return False
        if name in _COMPARISONS and any(t.dim() > 0 and not any(t is f for f in followed) for t in tensors):
            return False
        if name in _BY_NUMBER and any(f.dtype in INTEGERS for f in followed):
            self.divides = self.divides or name in _DIVISIONS
            return len(args) < 2 or _is_harmless(name, args[1], followed)
        return True


def _changes_kind(result: torch.Tensor, followed: list[torch.Tensor]) -> bool:
    """Wide integers that become floating numbers, floating numbers that become integers."""
    if result.is_floating_point():
        return any(t.dtype in (torch.int32, torch.int64) for t in followed)
    return result.dtype in INTEGERS and any(t.is_floating_point() for t in followed)


def _is_harmless(name: str, number: Any, followed: list[torch.Tensor]) -> bool:
    if isinstance(number, torch.Tensor):
        if number.dim() > 0 or any(number is f for f in followed):
            return False
        number = number.item()
    if not isinstance(number, (int, float)):
        return False
    bits = 8 * min(f.element_size() for f in followed)
    return 1 <= number < (bits if "shift" in name else float("inf"))


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [v for v in value if isinstance(v, torch.Tensor)]
    return []


def find(program: Program, model: Any, inputs: list[Any], seed: int) -> tuple[dict[int, bool], list[str]]:
    """Input number -> whether it must not be negative, for the inputs that are data; and the distributions that apply."""
    plain = {i: v for i, v in enumerate(inputs) if isinstance(v, torch.Tensor) and _looks_like_data(v)}
    if not plain:
        return {}, []
    try:
        other = program.inputs(derived_seed(seed, OTHER_SEED))
        varying = {i: v.clone() for i, v in plain.items() if other[i].shape != v.shape or not torch.equal(other[i], v)}
        follow = Follow(varying)
        given = [varying.get(i, v) for i, v in enumerate(inputs)]
        copied = weights.duplicate(model)
        if copied is None:
            return {}, []
        with follow:
            program.call(copied, given, derived_seed(seed, OTHER_SEED))
    except (ProblemError, Stop, IndexError):
        return {}, []
    data = {i: follow.divides and bool((inputs[i] >= 0).all()) for i in varying if i not in follow.meaningful}
    flags = any(inputs[i].dtype == torch.bool for i in data)
    return data, [*(NAMES[:1] if data else ()), *(NAMES[1:] if flags else ())]


def _looks_like_data(value: torch.Tensor) -> bool:
    if value.numel() < 2 or any(step == 0 and size > 1 for size, step in zip(value.shape, value.stride())):
        return False
    if value.dtype == torch.bool:
        return True
    if value.dtype not in INTEGERS or bool((value == value.flatten()[0]).all()):
        return False
    is_mask = bool(((value == 0) | (value == 1)).all())
    is_sorted = value.dim() > 0 and value.shape[-1] > 4 and bool((value.to(torch.int64).diff(dim=-1) >= 0).all())
    return not is_mask and not is_sorted


def redraw(inputs: list[Any], data: dict[int, bool], distribution: str, seed: int) -> list[Any]:
    """The inputs with those that are data drawn anew; strides are kept."""
    generator = torch.Generator().manual_seed(seed)
    result = list(inputs)
    for i, not_negative in data.items():
        value = inputs[i]
        if value.dtype == torch.bool:
            chance = {"true": 1.0, "false": 0.0}.get(distribution, 0.5)
            fresh = torch.rand(value.shape, generator=generator) < chance
        elif distribution == "integers":
            fresh = _whole_range(value, not_negative, generator)
        else:
            continue
        result[i] = distributions.refill(value, fresh)
    return result


def _whole_range(value: torch.Tensor, not_negative: bool, generator: torch.Generator) -> torch.Tensor:
    info = torch.iinfo(value.dtype)
    low = 0 if not_negative else info.min
    fresh = torch.randint(low, info.max, value.shape, generator=generator, dtype=value.dtype)
    edges = [e for e in (info.min, info.max, -1, 0, 1) if e >= low]
    places = torch.randperm(value.numel(), generator=generator)[: len(edges)]
    flat = fresh.flatten()
    flat[places] = torch.tensor(edges[: len(places)], dtype=value.dtype)
    return flat.reshape(value.shape)
