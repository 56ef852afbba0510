"""The `load` command: find the program, scale it if it must be, run it, describe it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from ka_bridge import cost, integers, masking, ops, runs, scale, variants, weights
from ka_bridge.problem import Program, ProblemError, derived_seed, first_function
from ka_bridge.sizes import SizedSource
from ka_bridge.tensors import describe
from ka_bridge.widths import Widths


REPEAT_LIMIT = 4_000_000


@dataclass
class Loaded:
    """What `draw` needs: the source with its sizes, the programs already executed, facts from the first run."""

    source: SizedSource
    request: cost.Request
    seed: int
    sizes: dict[str, int]
    programs: dict[str | None, Program]
    variants: dict[str, dict[str, int]]
    recurrent: bool
    given_has_inf: bool
    has_contraction: bool
    pointwise_only: bool
    weight_elements: int
    scores: bool = False  # a softmax, and products that feed it
    integer_inputs: dict[int, bool] = field(default_factory=dict)
    widths: Widths | None = None
    shared_model: dict[str | None, Any] = field(default_factory=dict)
    draws_random: bool = False
    given_draw: Any = None  # of given_sizes.py

    def program(self, variant: str | None) -> Program:
        if variant not in self.programs:
            if variant not in self.variants:
                raise ProblemError("unsupported", f"there is no variant {variant!r}")
            self.programs[variant] = self.request.execute(self.source, self.variants[variant], self.seed)
        return self.programs[variant]


def load(message: dict[str, Any], text: str, filename: str) -> tuple[Loaded, dict[str, Any]]:
    source = SizedSource(text, filename)
    request = cost.Request(message.get("name"), message.get("mode", "train"), message.get("device", "cpu"))
    seed = int(message["seed"])
    if request.device != "cpu" and not torch.cuda.is_available():
        raise ProblemError("needs_cuda", "CUDA was asked for and this machine has none")
    targets = {name: len for name in source.function_names()}
    inputs_name = first_function(targets, request.name or "Model", "inputs")
    init_name = first_function(targets, request.name or "Model", "init_inputs")
    source.add_literals([inputs_name, init_name])
    source.mark_reach(inputs_name, init_name)
    source.target_constants(request.name or "Model")
    scaled = scale.fit(source, request, seed, message.get("budget"))
    given = source.given()  # after fit: it drops constants that set no size and names the literals
    program, first, watch, model = scaled.program, scaled.first, scaled.watch, scaled.model
    found = weights.collect(model)
    inputs = scaled.inputs
    _check_outputs(scaled, seed, bool(message.get("single_draw")))
    observed = first.observed
    state = Loaded(source, request, seed, scaled.sizes, {None: program}, {}, watch.seen, runs.has_inf(first.outputs),
                   bool(observed.contractions) or watch.seen, observed.pointwise_only, weights.element_count(found))
    state.widths, state.draws_random = scaled.widths, observed.draws_random
    state.scores = state.has_contraction and bool(observed.names & ops.SOFTMAXES)
    more: list[str] = []
    if not message.get("single_draw"):  # what follows runs the program several times more
        state.variants = variants.find(source, request, seed, scaled)
        state.integer_inputs, more = integers.find(program, model, inputs, seed)
    if observed.names & masking.ORDER_OPS and not observed.pointwise_only:
        more.append(masking.NAME)
    conv_or_rnn = watch.seen or bool(observed.contractions & (ops.CONVOLUTIONS | ops.RECURRENCES))
    names = program.input_names(model, len(inputs))
    answer = {
        "ok": True,
        "kind": program.kind,
        "inputs": [{"name": n, "spec": describe(v)} if isinstance(v, torch.Tensor) else {"name": n, "scalar": v}
                   for n, v in zip(names, inputs)],
        "weights": [{"name": w.name, "argument": w.argument, "kind": w.kind, "tied_to": w.tied_to,
                     "spec": describe(w.tensor)} for w in found],
        "outputs": [describe(out, contiguous=True) for out in first.outputs],
        "structure": first.structure,
        "sizes": _sizes(source, given, scaled),
        "draws_random": observed.draws_random,
        "has_contraction": state.has_contraction,
        "default_tier": "tf32" if conv_or_rnn else "fp32",
        "updates_buffers": sorted(first.buffers_after),
        "outputs_alias_inputs": first.aliases_inputs,
        "mutates_inputs": first.mutated_inputs,
        "variants": [{"name": n, "sizes": source.named(s)} for n, s in state.variants.items()],
        "more_distributions": more,
        "init_args": plain(program.init_args()),
        "elements": observed.elements + sum(v.numel() for v in inputs if isinstance(v, torch.Tensor)),
        "flops": observed.flops,
        "weight_elements": state.weight_elements,
    }
    return state, answer


def _sizes(source: SizedSource, given: dict[str, int], scaled: scale.Scaled) -> dict[str, Any]:
    before, after = source.named(given), source.named(scaled.sizes)
    if scaled.widths is not None:
        before, after = {**before, **scaled.widths.given()}, {**after, **scaled.widths.verified()}
    changed = scaled.sizes != given or scaled.widths is not None
    return {"given": before, "verified": after, "scaled": changed, "steps": scaled.steps}


def _check_outputs(scaled: scale.Scaled, seed: int, once: bool) -> None:
    """NaN from the reference on its own inputs; output shapes that depend on the values of the inputs."""
    first = scaled.first
    for index, out in enumerate(first.outputs):
        if out.device.type not in ("cpu", "cuda"):
            raise ProblemError("unsupported", f"output {index} is on the device {out.device}")
        if runs.has_nan([out]):
            raise ProblemError("nan", f"the reference returns NaN in output {index} on its own inputs")
    shapes = [list(o.shape) for o in first.outputs]
    if once:
        return
    if cost.weight_elements(scaled.model) <= REPEAT_LIMIT:
        _check_repeats(scaled, seed)
    if scaled.known_shapes == shapes:
        return
    for k in range(3 if first.observed.dynamic else 1):
        other = [list(o.shape) for o in cost.run_once(scaled.program, derived_seed(seed, 100 + k))[2].outputs]
        if other != shapes:
            why = f" ({first.observed.dynamic})" if first.observed.dynamic else ""
            raise ProblemError("data_dependent_shape", f"the shape of an output depends on the values of the inputs{why}: "
                               f"{shapes} and, for other values, {other}")


def _check_repeats(scaled: scale.Scaled, seed: int) -> None:
    """The same seed must give the same answer, or every kernel would be refused."""
    again = cost.run_once(scaled.program, seed)[2].outputs
    for index, (one, two) in enumerate(zip(scaled.first.outputs, again)):
        near = 1e-4 if one.dtype in (torch.float32, torch.float64) else 1e-2
        if one.shape == two.shape and not torch.allclose(one.double(), two.double(), near, near):
            raise ProblemError("unsupported", f"output {index} differs between two runs with the same inputs and seed; "
                               "random numbers must come from torch, numpy or random, without a seed of their own")


def plain(values: list[Any]) -> list[Any] | None:
    """Constructor arguments as JSON (tuples become lists); None when one of them is no plain value."""
    def convert(value: Any) -> Any:
        if type(value) in (list, tuple):
            return [convert(v) for v in value]
        if value is None or type(value) in (int, bool, str) or (type(value) is float and abs(value) <= 1e308):
            return value
        raise TypeError(type(value).__name__)

    try:
        return [convert(value) for value in values]
    except TypeError:
        return None
