"""The `draw` command: inputs of one distribution, weights, and what the reference makes of them."""

from __future__ import annotations

from typing import Any

import torch

from ka_bridge import distributions, integers, masking, modes, runs, special, unsettled, vanishing, weights
from ka_bridge.cost import INPUTS_SEED, WEIGHTS_SEED
from ka_bridge.loading import Loaded
from ka_bridge.problem import Program, ProblemError, derived_seed, flatten
from ka_bridge.tensors import ArenaWriter

VALUES_SEED = 5
FRESH_WEIGHTS_LIMIT = 4_000_000
NOT_DOUBLE = "the float64 run is impossible, its place is taken by the result in the problem's own dtype: "


def draw(state: Loaded, request: dict[str, Any], fd: int) -> dict[str, Any]:
    distribution = request.get("distribution", "given")
    if distribution not in (*distributions.NAMES, *integers.NAMES, masking.NAME):
        raise ProblemError("unsupported", f"there is no distribution {distribution!r}")
    program = state.program(request.get("variant"))
    one = Draw(state, program, int(request["seed"]), int(request["call_seed"]), request.get("variant"))
    try:
        if distribution == "special":
            return one.special(fd, request.get("emulate"))
        return one.plain(fd, distribution, request.get("emulate"))
    finally:
        if program.device != "cpu":
            torch.cuda.empty_cache()  # the candidate needs the room, too


class Draw:
    """One draw: its module, its inputs, and the writing of the answer."""

    def __init__(self, state: Loaded, program: Program, seed: int, call_seed: int, variant: str | None) -> None:
        self.state = state
        self.program = program
        self.seed = seed
        self.call_seed = call_seed
        self.variant = variant
        self.model = self._fresh_model(variant)
        self.given = program.inputs(derived_seed(seed, INPUTS_SEED))
        self.notes: list[str] = []

    def _fresh_model(self, variant: str | None) -> Any:
        """New weights per draw, so that nothing computed from old ones helps; large modules are built once."""
        if self.state.weight_elements <= FRESH_WEIGHTS_LIMIT:
            return self.program.build(derived_seed(self.seed, WEIGHTS_SEED))
        kept = self.state.shared_model
        if variant not in kept:
            kept[variant] = self.program.build(derived_seed(self.state.seed, WEIGHTS_SEED))
        return self.duplicate(kept[variant])

    def duplicate(self, model: Any) -> Any:
        copied = weights.duplicate(model)
        if copied is None:
            raise ProblemError("unsupported", "the module cannot be copied")
        return copied

    def plain(self, fd: int, distribution: str, tier: str | None) -> dict[str, Any]:
        wide = distributions.SCORE_EXPONENTS if self.state.scores else distributions.WIDE_EXPONENTS
        exponents = {"wide": wide, "tiny": distributions.TINY_EXPONENTS}.get(distribution, (0.0,))
        refusal = ""
        for exponent in exponents:
            inputs, refusal = self._try(distribution, exponent)
            if inputs is not None:
                return self._answer(fd, inputs, tier)
        return {"ok": True, "applicable": False, "why": refusal}

    def _try(self, distribution: str, exponent: float) -> tuple[list[Any] | None, str]:
        """Prepares model, inputs and the native run; or the reason why this distribution does not apply."""
        if distribution == "given":
            self.pristine = self.duplicate(self.model)
            self.native = runs.run_native(self.program, self.model, self.given, self.call_seed)
            if runs.has_nan(self.native.outputs):
                if self.variant:  # at other sizes nobody has promised an answer: a mean over nothing, say
                    return None, "the reference returns NaN at these sizes"
                raise ProblemError("nan", "the reference returns NaN on its own inputs")
            return self.given, ""
        seed = derived_seed(self.seed, VALUES_SEED)
        if distribution == masking.NAME:
            self.pristine = self.duplicate(self.model)
            return masking.inputs_of(self, seed), "no input may hold -inf where every algorithm gives the same answer"
        inputs = self._inputs(distribution, exponent, seed)
        if inputs is None:
            return None, "no input looks like free data"
        refusal = ""
        for vary in (True, False):
            model = self.duplicate(self.model)
            if vary and not weights.vary_constants(weights.collect(model), torch.Generator().manual_seed(seed)):
                continue
            self.pristine = self.duplicate(model)
            try:
                self.native = runs.run_native(self.program, model, inputs, self.call_seed)
            except ProblemError as exc:
                refusal = exc.message
                continue
            refusal = self._not_finite() or self.unsettled(inputs) or (self._vanishing(inputs) if distribution == "tiny" else "")
            if not refusal:
                return inputs, ""
        return None, refusal

    def _inputs(self, distribution: str, exponent: float, seed: int) -> list[Any] | None:
        if distribution in integers.NAMES:
            data = self.state.integer_inputs
            return integers.redraw(self.given, data, distribution, seed) if data else None
        structures = distributions.structures_of(self.given)
        if not structures:
            return None
        return distributions.transform(self.given, structures, distribution, seed, exponent, self.state.scores)

    def _vanishing(self, inputs: list[Any]) -> str:
        watch = vanishing.Vanishing()
        with watch:
            self.program.call(self.duplicate(self.pristine), runs.copy_inputs(inputs), self.call_seed)
        return watch.why or ""

    def unsettled(self, inputs: list[Any]) -> str | None:
        """What PyTorch leaves open for these inputs."""
        if not self.native.observed.names & unsettled.WATCHED:
            return None
        watch = unsettled.Unsettled()
        with watch:
            result = self.program.call(self.duplicate(self.pristine), runs.copy_inputs(inputs), self.call_seed)
        watch.look_at(flatten(result)[0])
        return watch.why

    def _not_finite(self) -> str:
        if runs.has_nan(self.native.outputs):
            return "the reference returns NaN for these values"
        if runs.has_inf(self.native.outputs) and not self.state.given_has_inf:
            return "the reference overflows for these values"
        return ""

    def wide_outputs(self, inputs: list[Any]) -> list[torch.Tensor]:
        """The float64 outputs of the pristine module; the native ones, with a note, where that is impossible."""
        try:
            return runs.run_double(self.program, self.duplicate(self.pristine), inputs, self.call_seed, self.native)
        except (ProblemError, modes.CannotReplay, torch.OutOfMemoryError) as exc:
            self.notes.append(NOT_DOUBLE + (exc.message if isinstance(exc, ProblemError) else str(exc)))
            return [runs.as_wide(out) for out in self.native.outputs]

    def _answer(self, fd: int, inputs: list[Any], tier: str | None) -> dict[str, Any]:
        arena = ArenaWriter(fd)
        answer = self._common(arena, inputs)
        wide = self.wide_outputs(inputs)
        answer["outputs64"] = [arena.write(out, True) for out in wide]
        answer["outputs_tier"] = self._tier_outputs(arena, inputs, tier, wide)
        return self._finish(answer)

    def _tier_outputs(self, arena: ArenaWriter, inputs: list[Any], tier: str | None, wide: list[torch.Tensor]) -> list[Any] | None:
        if tier is None:
            return None
        emulated = runs.run_emulated(self.program, lambda: self.duplicate(self.pristine), inputs, self.call_seed, tier,
                                     self.state.recurrent, wide)
        return [arena.write(out, True) for out in emulated]

    def special(self, fd: int, tier: str | None) -> dict[str, Any]:
        seed = derived_seed(self.seed, VALUES_SEED)
        self.pristine = self.duplicate(self.model)
        made = special.make(self, seed)
        if isinstance(made, str):
            return {"ok": True, "applicable": False, "why": made}
        arena = ArenaWriter(fd)
        answer = self._common(arena, made.inputs)
        answer["outputs64"] = [arena.write(out, True) for out in made.outputs64]
        answer["outputs_tier"] = self._tier_outputs(arena, made.inputs, tier, made.outputs64)
        answer["undefined"] = [arena.write(mask, True) for mask in made.undefined]
        answer["finite64"] = [arena.write(out, True) for out in made.finite64]
        return self._finish(answer)

    def _common(self, arena: ArenaWriter, inputs: list[Any]) -> dict[str, Any]:
        native = self.native
        return {
            "ok": True,
            "applicable": True,
            "why": "",
            "inputs": [arena.write(v, False) if isinstance(v, torch.Tensor) else {"scalar": v} for v in inputs],
            "weights": {w.argument: arena.write(w.tensor, False) for w in weights.collect(self.pristine)},
            "outputs": [arena.write(out, True) for out in native.outputs],
            "buffers_after": {name: arena.write(t, True) for name, t in sorted(native.buffers_after.items())},
        }

    def _finish(self, answer: dict[str, Any]) -> dict[str, Any]:
        if self.notes:
            answer["notes"] = sorted(set(self.notes))
        return answer
