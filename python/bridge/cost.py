"""What a program would cost, found without computing: it is executed on tensors that have shapes and no data.

There are four ways, tried in this order: `meta`, the meta device as the default one (cheap: nothing has to be imported);
`fake`, PyTorch's fake tensors, which also let CPU tensors and values known at construction through, but cost a second
of imports; `real_init`, the module built for real, under a guard on the size of what it allocates, then moved to the meta device (for
constructors that read values); `real_fake`, the same and only forward on fake tensors, which is five times as slow. Extents that a constant sets are found on the meta device: change the
constant, make the inputs again, look which extents moved.
"""

from __future__ import annotations

import ast
import logging
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from ka_bridge import modes, runs, unfilled
from ka_bridge.problem import Program, ProblemError, derived_seed, flatten, phase
from ka_bridge.sizes import SizedSource

WAYS = ("meta", "fake", "real_init", "real_fake")
LONG_RUN_OPS = 3000
GUARD_FACTOR = 64
WEIGHTS_SEED = 2
INPUTS_SEED = 3
CALL_SEED = 4


@dataclass
class Request:
    """Which object of the file, in which mode, on which device."""

    name: str | None
    mode: str
    device: str

    def execute(self, source: SizedSource, sizes: dict[str, int], seed: int, device: str | None = None) -> Program:
        code = source.compile(sizes)
        return Program(code, source.text, source.filename, self.name, self.mode, device or self.device, seed)


@dataclass
class Cost:
    """elements: of the inputs and of everything that forward writes. complete: the run was not cut short. shapes: those of
    the outputs, where they follow from the input shapes alone. names: of the weights. ops: operations, views left out;
    recurrent: some of them are the steps of a layer that PyTorch takes apart itself."""

    elements: int
    flops: int
    weights: int
    ops: int
    complete: bool
    shapes: list[list[int]] | None = None
    names: frozenset[str] = frozenset()
    recurrent: bool = False


@contextmanager
def _without_compiler() -> Iterator[None]:
    """Stands in for torch._dynamo, if that is not imported, while shape functions run.

    Shape functions written in Python are shielded from the compiler by torch._dynamo.disable, which they look up at
    their first call; importing the compiler for that costs a second. With nothing being compiled, the function itself
    will do.
    """
    name = "torch._dynamo"
    if name in sys.modules:
        yield
        return
    stand_in = types.ModuleType(name)
    stand_in.disable = lambda fn=None, recursive=True, **_: fn
    sys.modules[name] = stand_in
    torch._dynamo = stand_in
    try:
        yield
    finally:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
        if torch.__dict__.get("_dynamo") is stand_in:
            del torch._dynamo


@contextmanager
def dataless(way: str) -> Iterator[str]:
    """Tensors made inside have no data. Yields the device that the program has to be given."""
    if way == "meta":
        with _without_compiler(), unfilled.weights(), torch.device("meta"):
            yield "meta"
        return
    from torch._subclasses.fake_tensor import FakeTensorMode

    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)
    with FakeTensorMode(allow_non_fake_inputs=True), unfilled.weights():
        yield "cpu"


def dataless_cost(source: SizedSource, request: Request, sizes: dict[str, int], limit: tuple[int, int], way: str) -> Cost:
    """Executes the file, the constructor and forward without data. ProblemError when something raises."""
    watch = modes.Observe(record=False, limit=(*limit, LONG_RUN_OPS))
    if way in WAYS[2:]:
        with modes.Observe(record=False, guard=GUARD_FACTOR * limit[0]):
            program = request.execute(source, sizes, 0, "cpu")
            model = program.build(0)
        with dataless("meta" if way == "real_init" else way) as program.device:
            if isinstance(model, torch.nn.Module):
                with phase("init_raises", f"moving {program.target_name} to {program.device}"):
                    torch.nn.Module.to(model, program.device)
            inputs = program.inputs(0)
            shapes = _call(program, model, inputs, watch)
    else:
        with dataless(way) as device:
            program = request.execute(source, sizes, 0, device)
            model = program.build(0)
            inputs = program.inputs(0)
            shapes = _call(program, model, inputs, watch)
    elements = watch.elements + input_elements(inputs)
    return Cost(elements, watch.flops, weight_elements(model), watch.op_count, shapes is not None, shapes, weight_names(model),
                _has_recurrence(model))


# By the text that was executed, with its numbers, and the way: the same sizes are tried with one budget after the other.
_known: dict[tuple[Any, ...], Cost | ProblemError] = {}


def known_cost(source: SizedSource, request: Request, sizes: dict[str, int], limit: tuple[int, int], way: str) -> Cost:
    """dataless_cost, from memory where this process has found it out before."""
    source.place(sizes)
    numbers = tuple(n.value for n in ast.walk(source.tree) if isinstance(n, ast.Constant) and type(n.value) is int)
    key = (source.text, numbers, request.name, request.mode, way)
    found = _known.get(key)
    if found is None or isinstance(found, Cost) and not found.complete:  # one that was cut short at a smaller limit says little
        try:
            found = _known[key] = dataless_cost(source, request, sizes, limit, way)
        except ProblemError as exc:
            found = _known[key] = exc
    if isinstance(found, ProblemError):
        raise found
    return found


def _call(program: Program, model: Any, inputs: list[Any], watch: modes.Observe) -> list[list[int]] | None:
    """The shapes of the outputs; None when the run was cut short."""
    try:
        with watch:
            outputs, _ = flatten(program.call(model, inputs, 0))
    except modes.Stop:
        return None
    return [list(out.shape) for out in outputs]


def real_cost(source: SizedSource, request: Request, sizes: dict[str, int], limit: tuple[int, int]) -> Cost:
    """The same by a real execution on the CPU, stopped before anything far over the limit is allocated."""
    watch = modes.Observe(record=False, limit=(*limit, 0), guard=4 * limit[0])
    guard = modes.Observe(record=False, guard=GUARD_FACTOR * limit[0])
    try:
        with guard:
            program = request.execute(source, sizes, 0, "cpu")
            model = program.build(0)
        with watch:
            inputs = program.inputs(0)
            flatten(program.call(model, inputs, 0))
    except modes.Stop:
        return Cost(watch.elements, watch.flops, 0, watch.op_count, False)
    return Cost(watch.elements, watch.flops, weight_elements(model), watch.op_count, True, None)


def static_shapes(source: SizedSource, request: Request, sizes: dict[str, int]) -> list[list[int]] | None:
    """The output shapes as they follow from the input shapes; None when that is not known: values
    decide, or the run is long."""
    try:
        return dataless_cost(source, request, sizes, (0, 0), "meta").shapes
    except (ProblemError, modes.Stop):
        return None


def lacks_data(failure: ProblemError) -> bool:
    """Whether it was the missing data that made the program fail, not the program itself."""
    cause = failure.cause
    if cause is None or isinstance(cause, NotImplementedError) or type(cause).__module__.startswith("torch."):
        return True
    try:
        text = str(cause).lower()
    except BaseException:
        return True
    return "meta" in text or "fake" in text or "data-dependent" in text


def input_elements(inputs: list[Any]) -> int:
    return sum(v.numel() for v in inputs if isinstance(v, torch.Tensor))


def weight_elements(model: Any) -> int:
    if not isinstance(model, torch.nn.Module):
        return 0
    seen: dict[int, int] = {}
    for module in torch.nn.Module.modules(model):
        for tensor in (*module._parameters.values(), *module._buffers.values()):
            if tensor is not None:
                seen[id(tensor)] = tensor.numel()
    return sum(seen.values())


def weight_names(model: Any) -> frozenset[str]:
    if not isinstance(model, torch.nn.Module):
        return frozenset()
    return frozenset(f"{prefix}.{key}" for prefix, module in torch.nn.Module.named_modules(model)
                     for tensors in (module._parameters, module._buffers) for key, tensor in tensors.items() if tensor is not None)


def _has_recurrence(model: Any) -> bool:
    return isinstance(model, torch.nn.Module) and any(isinstance(m, torch.nn.RNNBase) for m in torch.nn.Module.modules(model))


def run_once(program: Program, seed: int) -> tuple[Any, list[Any], runs.Run, modes.WatchRecurrence]:
    """Builds the model and the inputs of a seed and runs once for real, watching."""
    model = program.build(derived_seed(seed, WEIGHTS_SEED))
    inputs = program.inputs(derived_seed(seed, INPUTS_SEED))
    watch = modes.WatchRecurrence()
    with watch:
        run = runs.run_native(program, model, inputs, derived_seed(seed, CALL_SEED))
    return model, inputs, run, watch


def trial_device(request: Request, inputs: list[Any]) -> str:
    """An index that has become too large for its table is an exception on a CPU; on a GPU it is the end of the process."""
    has_integers = any(isinstance(v, torch.Tensor) and not v.is_floating_point() for v in inputs)
    return "cpu" if has_integers else request.device


def probe_extents(source: SizedSource, request: Request) -> None:
    """Finds the extents that each constant sets, drops constants that set none, names literals by their extent."""
    try:
        plain = _shapes(source, request, {})
    except (ProblemError, modes.Stop):
        source.constants = [c for c in source.constants if c.literal_of is None and (c.reaches_inputs or c.reaches_init)]
        return
    kept = []
    for constant in source.constants:
        if constant.reaches_inputs:
            constant.extents = _moved(source, request, constant.name, constant.value, plain)
        if constant.extents or constant.reaches_init:
            kept.append(constant)
        constant.node.value = constant.value
    source.constants = kept
    _name_literals(source)


def _moved(source: SizedSource, request: Request, name: str, value: int, plain: list[list[int]]) -> list[tuple[int, int]]:
    try:
        changed = _shapes(source, request, {name: value // 2 if value >= 4 else value + 1})
    except (ProblemError, modes.Stop):
        return []
    if [len(s) for s in changed] != [len(s) for s in plain]:
        return []
    return [(i, d) for i, (a, b) in enumerate(zip(plain, changed)) for d in range(len(a)) if a[d] != b[d]]


def _shapes(source: SizedSource, request: Request, sizes: dict[str, int]) -> list[list[int]]:
    with dataless("meta") as device:
        program = request.execute(source, sizes, 0, device)
        return [list(v.shape) if isinstance(v, torch.Tensor) else [] for v in program.inputs(0)]


def _name_literals(source: SizedSource) -> None:
    taken = {c.name for c in source.constants}
    for constant in source.constants:
        if constant.literal_of is not None and constant.extents:
            index, dim = constant.extents[0]
            name = f"{constant.literal_of}[{index}].dim{dim}"
            if name not in taken:
                taken.add(name)
                constant.name = name


def is_over(cost: Cost, limit: tuple[int, int]) -> bool:
    return not cost.complete or cost.elements > limit[0] or cost.flops > limit[1]


