"""One execution of the program: as it is, in float64, or with rounded operands of contractions.

Every execution gets its own copy of the module and of the inputs: forward may update buffers or write into what it is
given. The float64 execution replays the random draws of the one in the problem's own dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from ka_bridge import emulate, modes, nudge, weights
from ka_bridge.problem import Program, ProblemError, flatten
from ka_bridge.tensors import PIECE_ELEMENTS, span_elements


LAST_BITS = "last_bits"  # no tier: what is lost when every number that is given is off by its last bit
LAST_BITS_RUNS = 4


@dataclass
class Run:
    outputs: list[torch.Tensor]
    structure: str
    observed: modes.Observe
    buffers_after: dict[str, torch.Tensor]
    aliases_inputs: bool
    mutated_inputs: list[int]


def copy_inputs(inputs: list[Any]) -> list[Any]:
    """Copies that keep the strides, overlapping ones too."""
    return [_copy(value) if isinstance(value, torch.Tensor) else value for value in inputs]


def _copy(value: torch.Tensor) -> torch.Tensor:
    count = span_elements(list(value.shape), list(value.stride()))
    flat = value.as_strided((count,), (1,), value.storage_offset()).clone()
    return flat.as_strided(value.shape, value.stride())


def run_native(program: Program, model: Any, inputs: list[Any], call_seed: int) -> Run:
    """Runs the model itself (the caller gives a copy it can spare) in the problem's dtype."""
    given = copy_inputs(inputs)
    found = weights.collect(model)
    before = {w.name: w.tensor.clone() for w in found if w.kind == "buffer"}
    observed = modes.Observe()
    with observed:
        result = program.call(model, given, call_seed)
    outputs, structure = flatten(result)
    storages = {_storage(v) for v in given if isinstance(v, torch.Tensor)}
    aliases = any(_storage(out) in storages for out in outputs)
    mutated = [i for i, (a, b) in enumerate(zip(inputs, given)) if isinstance(a, torch.Tensor) and not _same(a, b)]
    after = {w.name: w.tensor for w in weights.collect(model) if w.kind == "buffer"}
    changed = {n for n, t in after.items() if n in before and not _same(t, before[n])}
    changed = {n: after[n] for n in after if n in changed or n in weights.kept_with(found, changed)}
    return Run(outputs, structure, observed, changed, aliases, mutated)


def run_double(program: Program, model: Any, inputs: list[Any], call_seed: int, native: Run) -> list[torch.Tensor]:
    """The outputs in float64 (integers as int64). Raises what the program raises, or CannotReplay.

    `model` is widened in place: the caller gives a copy.
    """
    with torch.no_grad():
        wide_inputs = modes.widen_all(inputs)
        wide_model = weights.widen(model)
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            with modes.Double(native.observed):
                result = program.call(wide_model, wide_inputs, call_seed)
        finally:
            torch.set_default_dtype(before)
    outputs, structure = flatten(result)
    if structure != native.structure or [o.shape for o in outputs] != [o.shape for o in native.outputs]:
        raise ProblemError("forward_raises", "the float64 run returns other shapes")
    return [as_wide(out) for out in outputs]


def run_emulated(program: Program, model: Callable[[], Any], inputs: list[Any], call_seed: int, tier: str, recurrent: bool,
                 wide: list[torch.Tensor]) -> list[torch.Tensor]:
    """Each output as that way to emulate the tier gives it which is farthest from `wide`. `model` gives a copy for each run."""
    found: list[torch.Tensor] = []
    for way in range(LAST_BITS_RUNS) if tier == LAST_BITS else emulate.NARROWINGS[tier]:
        own_model, own_inputs = model(), copy_inputs(inputs)
        if tier == LAST_BITS:
            nudge.last_bits(own_model, own_inputs, way)
            outputs = flatten(program.call(own_model, own_inputs, call_seed))[0]
        else:
            with emulate.open_forms(recurrent), emulate.NarrowOperands(tier, way):
                outputs = flatten(program.call(own_model, own_inputs, call_seed))[0]
        found = [max(pair, key=lambda out, true=true: _distance(out, true)) for *pair, true in zip(found or outputs, outputs, wide)]
    return found


def _distance(out: torch.Tensor, wide: torch.Tensor) -> float:
    if not out.is_floating_point():
        return 0.0
    far = 0.0
    for some, true in zip(out.reshape(-1).split(PIECE_ELEMENTS), wide.reshape(-1).split(PIECE_ELEMENTS)):
        squares = (some.double() - true.to(out.device)).square()  # of gigabytes at once, four such results would not fit
        far += float(squares[squares.isfinite()].sum())
    return far


def as_wide(out: torch.Tensor) -> torch.Tensor:
    return out.double() if out.is_floating_point() else out.to(torch.int64)


def has_nan(tensors: list[torch.Tensor]) -> bool:
    return any(bool(torch.isnan(t).any()) for t in tensors if t.is_floating_point())


def has_inf(tensors: list[torch.Tensor]) -> bool:
    return any(bool(torch.isinf(t).any()) for t in tensors if t.is_floating_point())


def same_classes(native: list[torch.Tensor], wide: list[torch.Tensor]) -> bool:
    """Whether both have NaN and infinities at the same places."""
    pairs = [(a, b) for a, b in zip(native, wide) if a.is_floating_point()]
    return all(torch.equal(test(a), test(b)) for a, b in pairs for test in (torch.isnan, torch.isinf))


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr() or id(tensor)


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if torch.equal(a, b):
        return True
    if a.is_floating_point():
        return torch.equal(torch.nan_to_num(a, nan=12345.0), torch.nan_to_num(b, nan=12345.0))
    return False
