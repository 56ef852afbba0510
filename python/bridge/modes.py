"""Dispatcher modes under which the reference runs: observing, recording and replaying random draws, float64.

A program that draws random numbers inside forward must see the same draws in its own precision and in float64, or the
two could not be compared. Observe keeps what every random op returned; Double hands it out again, cast, in order.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from ka_bridge import ops


class Stop(BaseException):
    """Ends a run from inside a mode. Not an Exception: `except Exception` in the program must not swallow it."""


class CannotReplay(Exception):
    """The float64 run left the path of the recorded one."""


class Mode(TorchDispatchMode):
    """Base of all dispatcher modes here. PyTorch would shield a mode from its compiler, and import all of that compiler
    (about a second) at the first op to do so; foreign code is never compiled while a mode is on."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False


REPLACES_INFINITY = frozenset({"nan_to_num", "nan_to_num_"})


class Observe(Mode):
    """Runs ops as they are; counts cost, notes facts, keeps random draws.

    limit: (elements, flops, ops): Stop when the run is over the first or the second and past the third.
    guard: largest number of elements that a factory op may make (Stop before it does).
    """

    def __init__(self, record: bool = True, limit: tuple[int, int, int] | None = None, guard: int | None = None) -> None:
        super().__init__()
        self.record = record
        self.limit = limit
        self.guard = guard
        self.elements = 0
        self.flops = 0
        self.op_count = 0
        self.draws: list[tuple[str, list[torch.Tensor]]] = []
        self.limits: list[float] = []  # what nan_to_num puts in the place of infinity: the largest number of a dtype
        self.draws_random = False
        self.contractions: set[str] = set()
        self.names: set[str] = set()
        self.pointwise_only = True
        self.dynamic: str | None = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        facts = ops.facts_of(func)
        if self.guard is not None:
            self._check_guard(facts, args)
        shape = ops.NORMS.get(func) if args and ops.has_no_data(args[0]) else None
        result = func(*args, **kwargs) if shape is None else shape(*args, **kwargs)
        if facts.is_view:
            return result
        self.op_count += 1
        self.names.add(facts.name)
        self.elements += ops.elements_of(result)
        if facts.name in ops.CONTRACTIONS:
            self.contractions.add(facts.name)
            self.flops += ops.flops_of(func, args, kwargs, result)
            if facts.name in ops.ATTENTIONS and ops.attention_draws(func, args, kwargs):
                self.draws_random = True
        if not facts.is_pointwise:
            self.pointwise_only = False
        if facts.is_dynamic:
            self.dynamic = facts.name
        if facts.is_random:
            self._keep_draw(facts, args, result)
        elif facts.name in REPLACES_INFINITY and result.is_floating_point():
            self.limits.append(torch.finfo(result.dtype).max)
        if self.limit is not None and self.op_count > self.limit[2]:
            if self.elements > self.limit[0] or self.flops > self.limit[1]:
                raise Stop("over the budget")
        return result

    def _keep_draw(self, facts: ops.OpFacts, args: Any, result: Any) -> None:
        self.draws_random = True
        if not self.record:
            return
        kept = result
        if facts.name.startswith("rrelu_with_noise"):
            kept = args[1]
        parts = kept if isinstance(kept, (tuple, list)) else [kept]
        self.draws.append((facts.name, [p.clone() for p in parts if isinstance(p, torch.Tensor)]))

    def _check_guard(self, facts: ops.OpFacts, args: Any) -> None:
        size = args[0] if args else None
        if isinstance(size, (list, tuple)) and size and all(isinstance(n, int) for n in size):
            count = 1
            for n in size:
                count *= max(n, 0)
            if count > self.guard:
                raise Stop(f"{facts.name} would make {count} elements")


class WatchRecurrence(TorchFunctionMode):
    """Notes calls of whole recurrences (torch.lstm and its kin), which the CPU takes apart before dispatch."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__name__", "") in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
            self.seen = True
        return func(*args, **(kwargs or {}))


class Double(Mode):
    """Runs every op in float64: narrower floating operands and dtype arguments are widened, draws are replayed."""

    def __init__(self, observed: Observe) -> None:
        super().__init__()
        self.draws = observed.draws
        self.limits = iter(observed.limits)
        self.next_draw = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        facts = ops.facts_of(func)
        kwargs = dict(kwargs or {})
        if facts.name == "view" and func._overloadname == "dtype":
            raise CannotReplay("the program looks at the bits of floating numbers")
        kwargs = {k: v if k in facts.mutated else _widen(v) for k, v in kwargs.items()}
        names = [a.name for a in func._schema.arguments]
        args = tuple(a if name in facts.mutated else _widen(a) for name, a in zip(names, args))
        if facts.is_random:
            return self._replay(facts, args)
        if facts.name in REPLACES_INFINITY and args[0].is_floating_point():
            args = self._with_limits(args, kwargs)
        return func(*args, **kwargs)

    def _with_limits(self, args: Any, kwargs: dict[str, Any]) -> Any:
        """The largest number of the problem's dtype, not of float64, where the program names none."""
        limit = next(self.limits, None)
        if limit is None:
            raise CannotReplay("the float64 run replaces infinity at other places than the run in the problem's own dtype")
        nan, high, low = (kwargs.pop(name, args[i] if i < len(args) else None) for i, name in ((1, "nan"), (2, "posinf"), (3, "neginf")))
        return args[0], nan, limit if high is None else high, -limit if low is None else low

    def _replay(self, facts: ops.OpFacts, args: Any) -> Any:
        if self.next_draw >= len(self.draws):
            raise CannotReplay("the float64 run draws more random numbers than the run in the problem's own dtype")
        name, kept = self.draws[self.next_draw]
        self.next_draw += 1
        if name != facts.name:
            raise CannotReplay(f"the float64 run draws by {facts.name} where {name} was recorded")
        if name == "native_dropout":
            value, probability = args[0], args[1]
            mask = kept[1]
            scale = 0.0 if probability >= 1 else 1.0 / (1.0 - probability)
            return value * mask.to(value.dtype) * scale, mask
        if name.startswith("rrelu_with_noise"):
            value, noise = args[0], kept[0].double()
            args[1].copy_(noise)
            result = torch.where(value <= 0, value * noise, value)
            return args[0].copy_(result) if name.endswith("_") else result
        if facts.mutated:
            return args[0].copy_(kept[0])
        parts = [_widen(part.clone()) for part in kept]
        return parts[0] if len(parts) == 1 else tuple(parts)


_NARROW = (torch.float32, torch.float16, torch.bfloat16)


def _widen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.double() if value.dtype in _NARROW else value
    if isinstance(value, torch.dtype):
        return torch.float64 if value in _NARROW else value
    if isinstance(value, (list, tuple)) and value and any(isinstance(v, torch.Tensor) for v in value):
        return type(value)(_widen(v) for v in value)
    return value


def widen_all(values: list[Any]) -> list[Any]:
    """Inputs for a float64 run; tensors are always copies (a program may write into its inputs)."""
    return tree_map_only(torch.Tensor, lambda t: t.double() if t.dtype in _NARROW else t.clone(), values)
