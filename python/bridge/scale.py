"""Making a program small enough and proving that it runs: docs/scaling.md is the rule, search.py finds the sizes.

The sizes that the search finds are executed for real. Where that fails although the program ran without data, or where the
small program turns rounding noise into its result, the search is repeated under tighter conditions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from ka_bridge import modes, ops, runs
from ka_bridge.cost import CALL_SEED, INPUTS_SEED, WAYS, WEIGHTS_SEED, Request, probe_extents, run_once, static_shapes, trial_device
from ka_bridge.problem import Program, ProblemError, derived_seed
from ka_bridge.search import BATCH_FLOOR, Search
from ka_bridge.sizes import SizedSource
from ka_bridge.widths import DIVISORS, Choice, Widths

LARGER_BATCHES = (4, 8, 32)
WORST_DISAGREEMENT = 1e-3
WORST_BEFORE_TF32 = 2e-5  # of programs that may take TF32 operands: these are some thousand times as far from float64
NOISE = 1e-2  # of the result; sizes at which the answer is noise to such a part are not taken while a larger budget is left
NOISE_BEFORE_TF32 = 1e-4


@dataclass
class Scaled:
    """The program at its final sizes, executed once for real. known_shapes: output shapes if no value decides them."""

    sizes: dict[str, int]
    steps: list[str]
    program: Program
    model: Any
    inputs: list[Any]
    first: runs.Run
    watch: modes.WatchRecurrence
    known_shapes: list[list[int]] | None
    widths: Widths | None = None


def fit(source: SizedSource, request: Request, seed: int, budget: dict[str, int] | None) -> Scaled:
    """Sizes within the budget (the given ones without a budget), proven by a real execution."""
    probe_extents(source, request)
    if budget is None:
        return _execute(source, request, seed, source.given(), [], static_shapes(source, request, source.given()))
    limit = (int(budget["elements"]), int(budget["flops"]))
    search = Search(source, request, limit)
    try:
        search.find()
    except ProblemError as exc:
        if exc.kind != "cannot_scale" or not budget.get("widths"):
            raise
        return _with_narrower_widths(source, request, seed, search, bool(budget.get("single")), exc)
    return _proven(source, request, seed, search, bool(budget.get("single")))


def _proven(source: SizedSource, request: Request, seed: int, search: Search, last: bool) -> Scaled:
    """The sizes that were found, executed for real; other sizes where that fails or is ill-conditioned."""
    sizes = search.sizes
    try:
        scaled = _execute(source, request, seed, sizes, search.steps(), search.known_shapes())
        return scaled if sizes == source.given() else _well_conditioned(source, request, seed, search, scaled, last)
    except ProblemError as exc:
        if exc.kind not in ("forward_raises", "init_raises") or sizes == source.given():
            raise
        return _without_culprit(source, request, seed, search.limit, search, exc)


def _with_narrower_widths(source: SizedSource, request: Request, seed: int, stuck: Search, single: bool,
                          failure: ProblemError) -> Scaled:
    """No constant helps: widths that are literals of the program's classes are divided by a common divisor, a small one
    first; when the largest is not enough and `single` is set, batches of one are tried."""
    widths = Widths(source)
    choice = _running_choice(source, request, stuck, widths)
    attempts = [(divisor, BATCH_FLOOR) for divisor in DIVISORS] + [(DIVISORS[-1], 1)] * single
    for divisor, floor in attempts if choice is not None else ():
        widths.divide(divisor, choice)
        search = Search(source, request, stuck.limit, stuck.ways or WAYS, batch_floor=floor)
        search.frozen = dict(stuck.frozen)
        if floor == BATCH_FLOOR and divisor != DIVISORS[-1] and not search.would_fit(stuck.sizes):
            continue
        try:
            search.find()
            scaled = _proven(source, request, seed, search, single)
        except ProblemError as exc:
            failure = exc
            continue
        told = ", ".join(f"{a} -> {b}" for a, b in widths.divided.items())
        scaled.steps.append(f"widths written in classes divided by {divisor}: {told}")
        scaled.widths = widths
        return scaled
    widths.divide(1)
    raise failure


def _running_choice(source: SizedSource, request: Request, stuck: Search, widths: Widths) -> Choice | None:
    """The first choice of literals with which the program still runs, without those that change no weight."""

    def weights_with(choice: Choice) -> int | None:
        widths.divide(DIVISORS[0], choice)
        return Search(source, request, stuck.limit, stuck.ways or WAYS).weight_elements()

    for choice in widths.choices():
        weights = weights_with(choice)
        if weights is None:
            continue
        for value in widths.values:
            fewer = Choice(choice.everywhere, choice.left_out | {value})
            if weights_with(fewer) == weights:
                choice = fewer
        return choice
    return None


def _execute(source: SizedSource, request: Request, seed: int, sizes: dict[str, int], steps: list[str],
             known_shapes: list[list[int]] | None) -> Scaled:
    program = request.execute(source, sizes, seed)
    if sizes != source.given() and trial_device(request, program.inputs(derived_seed(seed, INPUTS_SEED))) != request.device:
        run_once(request.execute(source, sizes, seed, "cpu"), seed)
        program = request.execute(source, sizes, seed)
    model, inputs, first, watch = run_once(program, seed)
    return Scaled(sizes, steps, program, model, inputs, first, watch, known_shapes)


def _well_conditioned(source: SizedSource, request: Request, seed: int, search: Search, scaled: Scaled, last: bool) -> Scaled:
    """Statistics over two or three values (deep batch norms after scaling) turn rounding noise into the result. Where the
    program's own dtype and float64 disagree, larger batches are tried; without success the next budget has to do, and
    with the last one, or where the noise is small, a step says so."""
    noise = _disagreement(scaled, seed)
    contractions = scaled.first.observed.contractions & (ops.CONVOLUTIONS | ops.RECURRENCES)
    coarse = (scaled.watch.seen or bool(contractions)) and scaled.program.device == "cpu"  # elsewhere PyTorch takes TF32 operands itself
    worst, most = (WORST_BEFORE_TF32, NOISE_BEFORE_TF32) if coarse else (WORST_DISAGREEMENT, NOISE)
    if noise <= worst:
        return scaled
    need = (0, 0)
    for floor in LARGER_BATCHES:
        retry = Search(source, request, search.limit, search.ways or WAYS, batch_floor=floor)
        try:
            better = _execute(source, request, seed, retry.find(), retry.steps(), retry.known_shapes())
        except ProblemError as exc:
            if floor == LARGER_BATCHES[0] and exc.need:  # a much smaller budget would end here as well
                need = (exc.need[0] // 2, exc.need[1] // 2)
            break
        if _disagreement(better, seed) <= worst:
            return better
    if noise > most and not last:
        raise ProblemError("cannot_scale", f"scaled down to {search.reached()} the program is ill-conditioned: its results in float32 and "
                           f"in float64 differ by {noise:.2%}", need=need)
    scaled.steps.append("ill-conditioned at these sizes: the reference disagrees with itself in float64")
    return scaled


def _disagreement(scaled: Scaled, seed: int) -> float:
    """Largest relative distance of an output from its float64 counterpart; 0 where there is none, or for half types."""
    outputs = scaled.first.outputs
    if not any(out.dtype == torch.float32 for out in outputs):
        return 0.0
    model = scaled.program.build(derived_seed(seed, WEIGHTS_SEED))
    try:
        wide = runs.run_double(scaled.program, model, scaled.inputs, derived_seed(seed, CALL_SEED), scaled.first)
    except (ProblemError, modes.CannotReplay):
        return 0.0
    pairs = [(a.double(), b) for a, b in zip(outputs, wide) if a.dtype == torch.float32 and a.numel()]
    return max(float((a - b).norm() / (b.norm() + 1e-3 * b.numel() ** 0.5)) for a, b in pairs)


def _without_culprit(source: SizedSource, request: Request, seed: int, limit: tuple[int, int], search: Search,
                     failure: ProblemError) -> Scaled:
    """The scaled program runs without data but not on data: some value does not follow its size (token numbers up
    to the given vocabulary). Finds the constant that must keep its given value."""
    reduced = [c for c in source.constants if search.sizes[c.name] != c.value]
    for constant in sorted(reduced, key=lambda c: c.first_class):
        retry = Search(source, request, limit, search.ways or WAYS)
        retry.frozen[constant.name] = "the program runs only with its given value"
        try:
            return _execute(source, request, seed, retry.find(), retry.steps(), retry.known_shapes())
        except ProblemError:
            continue
    message = f"scaled down to {search.reached()} the program fails on real data: {failure.message}"
    raise ProblemError("cannot_scale", message, failure.cause)
