"""Special values: inputs with NaN at a few places, and which outputs must then be NaN.

PyTorch keeps NaN: an output that depends on a NaN input is NaN, and a kernel that returns a number there is wrong. But
the reference also has NaN where nothing depends on the input: 0 * NaN, for instance behind a mask. An algorithm that
skips such positions is honest. To tell the two apart, the injected NaNs are replaced by very different finite values
and the reference is run in float64 for each: an output element that never changes does not depend on them. It is
`undefined`, and both NaN and the finite value are right. Integer and boolean outputs have no NaN: their elements
are undefined where they depend on the injected positions (how NaN compares is not what is judged), and throughout where NaN is converted to an integer: that gives any number,
also where every finite number in its place gives the same.

A NaN can also hide another one: a mask that is made by comparing (`bias > 0`) is False where the bias is NaN, and the score that it hides may
be NaN itself. Replacing both shows the hidden one. So some NaNs are kept as they are while the others are replaced: an output element that then is a number and never
changes is PyTorch's own answer whatever the others are, and is right as well.

Attention is run in its plain form, which adds a mask of -inf to the scores: NaN at a masked position stays NaN there, while PyTorch's fused
forms replace the score. PyTorch has both, so both are right.

Infinities, the largest finite number, -0.0 and the smallest denormal are injected besides, but only into programs of
elementwise ops alone, and only as far as the reference agrees with itself: the set is reduced (first without the
largest number, then without infinities) until no replaced run has a NaN and the run in the problem's dtype has
NaN and infinity exactly where float64 has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from ka_bridge import distributions, modes, runs, unsettled
from ka_bridge.problem import ProblemError

if TYPE_CHECKING:
    from ka_bridge.draws import Draw

NAN_SHARE = 64
MOST_NANS = 3
REPLACEMENTS = (3.7, -5.3, 1e3, -1e3, 1e12, -1e12)
NOISE = 1e-9
MOST_SINGLE = 6


@dataclass
class Special:
    inputs: list[Any]
    outputs64: list[torch.Tensor]
    undefined: list[torch.Tensor]
    finite64: list[torch.Tensor]


def make(draw: "Draw", seed: int) -> Special | str:
    """Sets draw.native to the run with NaN. A string says why special values do not apply."""
    free = {i: s for i, s in distributions.structures_of(draw.given).items() if draw.given[i].numel() >= 2}
    if not free:
        return "no input looks like free data"
    refusal = ""
    levels = (3, 2, 1, 0) if draw.state.pointwise_only else (0,)
    for level in levels:
        made = _attempt(draw, free, seed, level)
        if isinstance(made, Special):
            return made
        refusal = made
    return refusal


def _attempt(draw: "Draw", free: dict[int, str], seed: int, level: int) -> Special | str:
    generator = torch.Generator().manual_seed(seed)
    base, places = list(draw.given), {}
    for i, structure in free.items():
        base[i], places[i] = _inject_extras(draw.given[i], structure, generator, level)
    poisoned = _with_values(base, places, lambda drawn: torch.full_like(drawn, float("nan")))
    try:
        with sdpa_kernel(SDPBackend.MATH):
            draw.native = runs.run_native(draw.program, draw.duplicate(draw.pristine), poisoned, draw.call_seed)
    except ProblemError as exc:
        return exc.message
    left_open = draw.unsettled(poisoned)
    if left_open and (level > 0 or left_open != unsettled.RANGE):
        return left_open
    replaced = _replaced_runs(draw, base, places)
    if len(replaced) < 2:
        return "the reference raises for finite values in place of NaN"
    if any(runs.has_nan([a]) and not runs.has_nan([b]) for a, b in zip(replaced[0], draw.native.outputs)):
        return "the reference gives NaN without NaN in its inputs"
    outputs64 = draw.wide_outputs(poisoned)
    if level > 0 and (runs.has_nan(replaced[0]) or not runs.same_classes(draw.native.outputs, outputs64)):
        return "the reference does not agree with itself on edge values"
    undefined = [_undefined(out, [run[k] for run in replaced]) for k, out in enumerate(draw.native.outputs)]
    if left_open is not None:
        if any(_rests_on_a_conversion(out, [run[k] for run in replaced]) for k, out in enumerate(draw.native.outputs)):
            return left_open
        undefined = [mask if out.is_floating_point() else torch.ones_like(mask) for mask, out in zip(undefined, draw.native.outputs)]
    made = Special(poisoned, outputs64, undefined, replaced[0])
    for kept in _kept_sets(places):
        _admit_hidden(draw, base, places, kept, made)
    return made


def _kept_sets(places: dict[int, torch.Tensor]) -> list[dict[int, torch.Tensor]]:
    """The NaNs that stay while the others are replaced: those of one input, then single ones where they are few."""
    total = sum(len(positions) for positions in places.values())
    sets = [{i: positions} for i, positions in places.items() if len(positions) < total]
    if total <= MOST_SINGLE:
        sets += [{i: positions[k : k + 1]} for i, positions in places.items() if len(positions) > 1 for k in range(len(positions))]
    return sets


def _admit_hidden(draw: "Draw", base: list[Any], places: dict[int, torch.Tensor], kept: dict[int, torch.Tensor], made: Special) -> None:
    """Adds the elements that are one number while `kept` are NaN, whatever stands at the other places."""
    partly = _with_values(base, kept, lambda drawn: torch.full_like(drawn, float("nan")))
    others = {i: positions[~torch.isin(positions, kept[i])] if i in kept else positions for i, positions in places.items()}
    first = _replaced_runs(draw, partly, others, 1)
    native = draw.native.outputs
    if not first or not any(_hidden(*row).any() for row in zip(native, made.undefined, first[0])):
        return
    runs_of_it = first + _replaced_runs(draw, partly, others)[1:]
    if len(runs_of_it) < 2:
        return
    for k, out in enumerate(native):
        hidden = _hidden(out, made.undefined[k], runs_of_it[0][k]) & _undefined(out, [run[k] for run in runs_of_it])
        made.undefined[k] = made.undefined[k] | hidden
        made.finite64[k] = torch.where(hidden, runs_of_it[0][k], made.finite64[k])


def _hidden(out: torch.Tensor, undefined: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Where PyTorch's NaN still binds although `other`, a run with fewer NaNs, has a number."""
    if not out.is_floating_point():
        return torch.zeros_like(undefined)
    return torch.isnan(out) & ~undefined & ~torch.isnan(other)


def _inject_extras(value: torch.Tensor, structure: str, generator: torch.Generator,
                   level: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A copy with edge values, and the flat positions where NaN goes."""
    info = torch.finfo(value.dtype)
    extras: list[float] = []
    if level >= 1:
        extras += [-0.0, info.smallest_normal / 4]
    if level >= 2:
        extras += [float("inf"), float("-inf")]
    if level >= 3:
        extras += [info.max]
    count = value.numel()
    nans = max(1, min(MOST_NANS, count // NAN_SHARE))
    order = _places(value, structure, generator)
    fresh = value.detach().cpu().contiguous().clone().flatten()
    for position, extra in zip(order[nans : nans + min(len(extras), count // 4)].tolist(), extras):
        fresh[position] = extra
    return distributions.refill(value, fresh.reshape(value.shape)), order[:nans]


def _places(value: torch.Tensor, structure: str, generator: torch.Generator) -> torch.Tensor:
    """Flat positions in random order at which a value may be put without breaking the input's structure."""
    order = torch.randperm(value.numel(), generator=generator)
    if structure == "zeros":
        return order[value.detach().cpu().flatten()[order] != 0]
    if structure == "symmetric":
        size = value.shape[-1]
        return order[(order // size) % size == order % size]
    return order


def _with_values(base: list[Any], places: dict[int, torch.Tensor], values: Any) -> list[Any]:
    result = list(base)
    for i, positions in places.items():
        flat = base[i].detach().cpu().contiguous().clone().flatten()
        flat[positions] = values(flat[positions])
        result[i] = distributions.refill(base[i], flat.reshape(base[i].shape))
    return result


def _replaced_runs(draw: "Draw", base: list[Any], places: dict[int, torch.Tensor], most: int | None = None) -> list[list[torch.Tensor]]:
    """float64 outputs with the drawn values in place of NaN, a variation of these, and the fixed replacements (`most` of them)."""
    choices: list[Any] = [lambda drawn: drawn, lambda drawn: drawn * 0.5 + 0.125]
    choices += [lambda drawn, r=r: _alternating(drawn, r) for r in REPLACEMENTS]
    found = []
    for choice in choices[:most]:
        inputs = _with_values(base, places, choice)
        try:
            model = draw.duplicate(draw.pristine)
            found.append(runs.run_double(draw.program, model, inputs, draw.call_seed, draw.native))
        except (ProblemError, modes.CannotReplay):
            continue
    return found


def _alternating(drawn: torch.Tensor, value: float) -> torch.Tensor:
    """`value` with changing signs: equal replacements could cancel. Within the range of the dtype."""
    signs = 1.0 - 2.0 * (torch.arange(drawn.numel()) % 2).double()
    limit = torch.finfo(drawn.dtype).max
    return (signs * value).clamp(-limit, limit).to(drawn.dtype)


def _rests_on_a_conversion(out: torch.Tensor, replaced: list[torch.Tensor]) -> bool:
    """Whether a floating output that the injected NaNs change is a number: NaN may have become an integer on the way."""
    return out.is_floating_point() and any(bool((_differs(replaced[0], other) & ~torch.isnan(out)).any()) for other in replaced[1:])


def _undefined(out: torch.Tensor, replaced: list[torch.Tensor]) -> torch.Tensor:
    changed = torch.zeros(out.shape, dtype=torch.bool, device=out.device)
    for other in replaced[1:]:
        changed |= _differs(replaced[0], other)
    if not out.is_floating_point():
        return changed | (runs.as_wide(out) != replaced[0])
    return torch.isnan(out) & ~changed & ~torch.isnan(replaced[0])


def _differs(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if not a.is_floating_point():
        return a != b
    same = (a == b) | (torch.isnan(a) & torch.isnan(b))
    near = (a - b).abs() <= NOISE * torch.maximum(a.abs(), b.abs())
    return ~(same | near)
