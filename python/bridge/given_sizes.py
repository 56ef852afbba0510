"""The program at the sizes that were given, where only smaller ones can be verified: arguments, and answers for single elements.

Answers are known in two cases. `whole`: the program is cheap enough for PyTorch as it is. `rows`: it treats the rows of a batch one by one
(seen at the verified sizes: a few rows alone give what they give among others); then it is run on a few rows, and the arguments
that are handed over repeat these rows, so that the answer for every row is known. Otherwise shapes are all there is.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ka_bridge import cost, lazy, modes, runs, weights
from ka_bridge.conn import read_all
from ka_bridge.loading import Loaded, plain
from ka_bridge.problem import Program, ProblemError, derived_seed
from ka_bridge.sizes import Constant
from ka_bridge.tensors import ArenaWriter, describe

LIMIT = (1 << 25, 1 << 31)  # elements, flops
WEIGHTS_LIMIT = 1 << 26
ROWS = (13, 7, 3)  # no divisors of sizes: what is taken from a wrong row shows
POSITIONS_LIMIT = 256 << 20


@dataclass
class GivenDraw:
    """The outputs that are known: of the whole program, or of its first `rows` rows."""

    rows: int
    of: int  # how many rows there are at the given sizes
    native: list[torch.Tensor]
    wide: list[torch.Tensor]
    tier: list[torch.Tensor] | None


def describe_call(state: Loaded) -> dict[str, Any]:
    """The arguments of the program at the sizes that were given: shapes without data."""
    try:
        with _given(state), cost.dataless("meta") as device:
            program = state.request.execute(state.source, state.source.given(), 0, device)
            model, inputs = program.build(0), program.inputs(0)
        return {
            "ok": True,
            "inputs": [describe(v) if isinstance(v, torch.Tensor) else {"scalar": v} for v in inputs],
            "weights": {w.argument: describe(w.tensor) for w in weights.collect(model)},
            "init_args": plain(program.init_args()),
        }
    finally:
        state.source.compile(state.sizes)


def _given(state: Loaded) -> Any:
    return state.widths.undone() if state.widths else nullcontext()


def draw(state: Loaded, request: dict[str, Any], fd: int) -> dict[str, Any]:
    """As describe_call, with data where answers are known. `rows`: 0 for the whole program. `why`: no answers, and why."""
    answer = describe_call(state)
    state.given_draw = None
    try:
        if state.draws_random:
            raise ProblemError("unsupported", "forward draws random numbers")
        known = _draw(state, request, fd, answer)
        state.given_draw = known
        return answer | {"rows": known.rows, "outputs": [_full(out, known) for out in known.native]}
    except (ProblemError, modes.Stop, modes.CannotReplay) as exc:
        reason = exc.message if isinstance(exc, ProblemError) else "the program cannot be run there"
        return answer | {"why": reason, "data": any(s.get("dtype", "float").startswith(("int", "uint", "bool")) for s in answer["inputs"])}
    finally:
        state.source.compile(state.sizes)


def _draw(state: Loaded, request: dict[str, Any], fd: int, answer: dict[str, Any]) -> GivenDraw:
    given = state.source.given()
    with _given(state):
        sizes, constant, rows = given, None, 0
        if not _affordable(state, given):
            constant, rows = _rows(state, answer)
            sizes = {**given, constant.name: rows}
        program = state.request.execute(state.source, sizes, state.seed)
        seed, call_seed = int(request["seed"]), int(request["call_seed"])
        model = program.build(derived_seed(seed, cost.WEIGHTS_SEED))
        inputs = program.inputs(derived_seed(seed, cost.INPUTS_SEED))
        _write(answer, inputs, model, {i for i, _ in constant.extents} if constant else set(), fd)
        native = runs.run_native(program, weights.duplicate(model), inputs, call_seed)
        if runs.has_nan(native.outputs):
            raise ProblemError("nan", "the reference returns NaN there")
        wide = runs.run_double(program, weights.duplicate(model), inputs, call_seed, native)
        tier = request.get("emulate")
        emulated = runs.run_emulated(program, lambda: weights.duplicate(model), inputs, call_seed, tier, state.recurrent, wide) if tier else None
    return GivenDraw(rows, constant.value if constant else 0, native.outputs, wide, emulated)


def _affordable(state: Loaded, sizes: dict[str, int]) -> bool:
    seen = cost.dataless_cost(state.source, state.request, sizes, LIMIT, "meta")
    return not cost.is_over(seen, LIMIT) and seen.weights <= WEIGHTS_LIMIT


def _rows(state: Loaded, answer: dict[str, Any]) -> tuple[Constant, int]:
    """The constant that sets the number of rows, and how many of them are affordable."""
    for constant in state.source.constants:
        if not constant.batch_like or not constant.first_class:
            continue
        for rows in ROWS:
            if rows >= constant.value or not _repeatable(answer, constant, rows):
                continue
            try:
                fits = _affordable(state, {**state.source.given(), constant.name: rows})
            except ProblemError:
                fits = False
            if fits and _row_by_row(state, constant):
                return constant, rows
            if fits:
                break
    raise ProblemError("unsupported", "the program is too large there for PyTorch on this machine, and does not treat a batch row by row")


def _repeatable(answer: dict[str, Any], constant: Constant, rows: int) -> bool:
    specs = [answer["inputs"][i] for i, _ in constant.extents]
    return all(s["shape"][0] == constant.value and lazy.repeats(s["shape"], s["strides"], lazy.DTYPES[s["dtype"]].itemsize, rows)
               for s in specs)


def _row_by_row(state: Loaded, constant: Constant) -> bool:
    """Whether some rows alone give what they give among others, at the verified sizes."""
    count = state.sizes[constant.name]
    rows = [row for row in (count - 1, 0, count // 2) if row < count]
    rows = list(dict.fromkeys(rows))[:max(count - 1, 0)]
    if not rows:
        return False
    widths = state.widths.divided if state.widths else None
    if widths is not None:
        return False  # literals in classes were divided: sizes that are not asked for again here
    try:
        whole, few = state.program(None), state.request.execute(state.source, {**state.sizes, constant.name: len(rows)}, state.seed)
        inputs = whole.inputs(derived_seed(state.seed, cost.INPUTS_SEED))
        moved = {i for i, _ in constant.extents}
        some = [v[rows].clone() if i in moved else v for i, v in enumerate(inputs)]
        all_rows, alone = (_outputs(program, state.seed, values) for program, values in ((whole, inputs), (few, some)))
    except (ProblemError, modes.Stop):
        return False
    return len(all_rows) == len(alone) and all(_same_rows(one, other, rows, count) for one, other in zip(all_rows, alone))


def _outputs(program: Program, seed: int, inputs: list[Any]) -> list[torch.Tensor]:
    model = program.build(derived_seed(seed, cost.WEIGHTS_SEED))
    return runs.run_native(program, model, inputs, derived_seed(seed, cost.CALL_SEED)).outputs


def _same_rows(whole: torch.Tensor, alone: torch.Tensor, rows: list[int], count: int) -> bool:
    if whole.dim() == 0 or whole.shape[0] != count or alone.shape != (len(rows), *whole.shape[1:]):
        return False
    near = 1e-4 if whole.dtype in (torch.float32, torch.float64) else 1e-2
    return torch.allclose(whole[rows].double(), alone.double(), near, near)


def _write(answer: dict[str, Any], inputs: list[Any], model: Any, repeated: set[int], fd: int) -> None:
    """The drawn values; of repeated inputs the rows that there are, at the start of a page."""
    arena = ArenaWriter(fd)
    for index, (spec, value) in enumerate(zip(answer["inputs"], inputs)):
        if not isinstance(value, torch.Tensor):
            continue
        if index in repeated:
            arena.end = -(-arena.end // lazy.PAGE) * lazy.PAGE
        written = arena.write(value, False)
        spec |= {"offset": written["offset"], "drawn": written["nbytes"]}
    for weight in weights.collect(model):
        written = arena.write(weight.tensor, False)
        answer["weights"][weight.argument] |= {"offset": written["offset"], "drawn": written["nbytes"]}


def _full(out: torch.Tensor, known: GivenDraw) -> dict[str, Any]:
    """Of the output at the given sizes. nonzero: at least so many elements are not zero."""
    spec, nonzero = describe(out, contiguous=True), int(torch.count_nonzero(out))
    if not known.rows:
        return {"dtype": spec["dtype"], "shape": spec["shape"], "nonzero": nonzero}
    return {"dtype": spec["dtype"], "shape": [known.of, *spec["shape"][1:]], "nonzero": nonzero * (known.of // known.rows)}


def answers(state: Loaded, request: dict[str, Any], positions_fd: int, fd: int) -> dict[str, Any]:
    """Elements of the outputs by their row-major positions."""
    known: GivenDraw | None = state.given_draw
    if known is None:
        raise ProblemError("unsupported", "nothing was drawn for the given sizes")
    raw = read_all(positions_fd, POSITIONS_LIMIT)
    arena = ArenaWriter(fd)
    answer: dict[str, Any] = {"ok": True, "outputs": [], "outputs64": [], "outputs_tier": [] if known.tier else None}
    for entry in request["values"]:
        at = torch.from_numpy(np.frombuffer(raw, dtype=np.int64, count=entry["count"], offset=entry["positions"]).copy())
        number = entry["output"]
        lists = {"outputs": known.native, "outputs64": known.wide, "outputs_tier": known.tier}
        for name, outputs in lists.items():
            if outputs is not None:
                answer[name].append(arena.write(_elements(outputs[number], at, known.rows), True))
    return answer


def _elements(out: torch.Tensor, at: torch.Tensor, rows: int) -> torch.Tensor:
    flat = out.reshape(-1)
    if rows:
        inner = out.numel() // rows
        at = (at // inner) % rows * inner + at % inner
    return flat[at.clamp(0, flat.numel() - 1)]
