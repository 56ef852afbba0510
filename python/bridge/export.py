"""The problem as graphs: one per choice of sizes.

Every graph comes from `torch.export` (non-strict, training IR, not decomposed) on tensors without data, at fixed sizes:
the given ones, the scaled-down ones and a few others. The reader compares them number by number to find out which numbers
follow from which size, so nothing here is symbolic. Ways to build the program, in order: on fake tensors; for real, then
exported on fake inputs; on the meta device. The reason why an earlier way failed is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch

from ka_bridge import cost, export_graph, export_shapes, modes, variants, weights
from ka_bridge.conn import one_line
from ka_bridge.loading import Loaded
from ka_bridge.problem import Program, ProblemError
from ka_bridge.sizes import SizedSource

MOST_SAMPLES = 6
MOST_ATTEMPTS = 24
FEW_ATTEMPTS = 2  # of a long program, also when one of them adds nothing
SMALL = 16
LONG_PROGRAM = 300  # operators; such a program is exported at few sizes, each costs seconds
LONGEST_PROGRAM = 1000  # such a one only at the given sizes and those at which it is verified
WAYS = ("fake", "real", "meta")
WINDOWS = ("conv", "pool")


class Asked(NamedTuple):
    program: cost.Request
    operators: frozenset[str]


def export(state: Loaded, operators: frozenset[str]) -> dict[str, Any]:
    """The document: samples (sizes and graph each), and how the program was built. `operators`: those that the reader knows."""
    source, request = state.source, Asked(state.request, operators)
    given, small = source.given(), state.sizes
    refusals: list[str] = []
    try:
        with state.widths.undone() if state.widths else nullcontext():
            way, first = _first(source, request, given, refusals)
        samples = [{"sizes": given, "graph": first}]
        if small != given or state.widths is not None:
            _add_sample(samples, source, request, small, way, refusals)
        long, most = len(first["nodes"]) >= LONG_PROGRAM, _most_samples(source, given, small, len(first["nodes"]))
        for back in (False, True):
            before = len(samples)
            for sizes in _all_changed(source, request, small, back) if before < most else ():
                _add_sample(samples, source, request, sizes, way, refusals)
                if len(samples) > before:
                    _restore_untold(samples, source, request, small, way, refusals)
                    break
        others = _other_sizes(source, given, small)
        for sizes in others[:FEW_ATTEMPTS] if long else others:
            if len(samples) < most:
                _add_sample(samples, source, request, sizes, way, refusals)
        for sizes in () if long else _separating(source, small):
            if _still_alike(samples, sizes, small):
                _add_sample(samples, source, request, sizes, way, refusals)
        wider = _wider(samples, source)
        if wider is not None:
            _add_sample(samples, source, request, wider, way, refusals)
    finally:
        source.compile(small)
    return {"schema": 1, "way": way, "refusals": refusals, "samples": samples}


def _most_samples(source: SizedSource, given: dict[str, int], small: dict[str, int], operators: int) -> int:
    """Of a long program one sample with all sizes changed, or two where several sizes were not scaled down and differ in these alone."""
    if operators < LONG_PROGRAM:
        return MOST_SAMPLES
    kept = sum(given[name] == small[name] for name in _changeable(source, small))
    return 2 if operators > LONGEST_PROGRAM else 3 if kept <= 1 else 4


def _add_sample(samples: list[dict[str, Any]], source: SizedSource, request: Asked, sizes: dict[str, int],
                way: str, refusals: list[str]) -> None:
    if len(samples[0]["graph"]["nodes"]) >= LONG_PROGRAM and _has_other_weights(source, request, sizes, samples[0]["sizes"]):
        return
    try:
        with export_shapes.without_places():
            graph = _graph(source, request, sizes, way)
    except (ProblemError, export_graph.NotExportable) as exc:
        refusals.append(f"{_shown(samples[0]['sizes'], sizes)}: {one_line(str(exc), 200)}")
        return
    if _program(graph) == _program(samples[0]["graph"]) and all(_extents(graph) != _extents(s["graph"]) for s in samples):
        samples.append({"sizes": sizes, "graph": graph})


def _has_other_weights(source: SizedSource, request: Asked, sizes: dict[str, int], given: dict[str, int]) -> bool:
    """Another number of layers, say, which makes another program. Found out in a tenth of the time that an export takes."""
    try:
        one, other = (cost.known_cost(source, request.program, s, (1 << 62, 1 << 62), "meta") for s in (sizes, given))
    except (ProblemError, modes.Stop):
        return False
    return one.names != other.names


def _program(graph: dict[str, Any]) -> list[Any]:
    """What must be the same at all sizes: the operators, and how many results each has (of a split, say). The number of layers
    of an LSTM changes neither, but how many weights it has."""
    return [[(node["op"], len(node["outs"])) for node in graph["nodes"]], [argument["name"] for argument in graph["arguments"]]]


def _extents(graph: dict[str, Any]) -> list[Any]:
    """The shapes of all arguments. A constant that changes none of them (a number of groups) cannot be told from outside."""
    return [argument.get("shape") for argument in graph["arguments"]]


def _restore_untold(samples: list[dict[str, Any]], source: SizedSource, request: Asked, base: dict[str, int], way: str,
                    refusals: list[str]) -> None:
    """The last sample, with constants that are the extent of no argument (groups, the width of a pool) as they were. The reader
    cannot tell how what these decide follows from sizes: it keeps that as given, and has no use for a sample in which it is another."""
    last = samples[-1]
    vectors = set(zip(*([n for shape in _extents(s["graph"]) for n in shape or ()] for s in samples)))
    untold = {name: value for name, value in base.items()
              if last["sizes"][name] != value and tuple(s["sizes"][name] for s in samples) not in vectors}
    if untold:
        others = samples[:-1]
        _add_sample(others, source, request, {**last["sizes"], **untold}, way, refusals)
        if len(others) == len(samples):
            same = _extents(others[-1]["graph"]) == _extents(last["graph"])
            samples[-1:] = others[-1:] if same else [last, others[-1]]


def _separating(source: SizedSource, base: dict[str, int]) -> list[dict[str, int]]:
    """Sizes that change one constant: to tell it from another that had the same values, or from a fixed number."""
    found = []
    for constant in source.constants:
        value = base[constant.name]
        if not constant.extents and value < SMALL:
            continue  # the size of a filter, a stride: better known than general
        for other in (value * 2, value // 2, value + 1):
            if other > 1:
                found.append({**base, constant.name: other})
    return found[:MOST_ATTEMPTS]


def _wider(samples: list[dict[str, Any]], source: SizedSource) -> dict[str, int] | None:
    """Sizes at which extents stay apart that windows have made the same in all samples: a part of a deep network is not to take a
    height for a width because both have shrunk to two."""
    names = [c.name for c in source.constants if any(dim > 1 for _, dim in c.extents)]
    told_apart = any(s["sizes"][one] != s["sizes"][other] for s in samples for one in names for other in names)
    windows = ([s["graph"]["nodes"][i]["outs"][0].get("shape") or () for s in samples] for i, node in enumerate(samples[0]["graph"]["nodes"])
               if any(word in node["op"] for word in WINDOWS) and node["outs"])
    if not told_apart or not any(all(len(shape) > 3 and shape[-1] == shape[-2] for shape in shapes) for shapes in windows):
        return None
    given = samples[0]["sizes"]
    return {**samples[-1]["sizes"], **{name: given[name] * (k + 2) for k, name in enumerate(names)}}


def _still_alike(samples: list[dict[str, Any]], sizes: dict[str, int], base: dict[str, int]) -> bool:
    """Whether the constant that `sizes` changes never changed yet, or always together with another."""
    changed = [name for name, value in sizes.items() if value != base[name]]
    vectors = {name: tuple(s["sizes"][name] for s in samples) for name in sizes}
    return any(len(set(vectors[name])) == 1 or list(vectors.values()).count(vectors[name]) > 1 for name in changed)


def _other_sizes(source: SizedSource, given: dict[str, int], small: dict[str, int]) -> list[dict[str, int]]:
    """Sizes with one extent of an input changed at a time."""
    names = [c.name for c in source.constants if c.first_class and c.extents]
    found = []
    for name, value in variants.proposals(names, small):
        sizes = {**small, name: value}
        if value > 1 and sizes not in (*found, given, small):
            found.append(sizes)
    return found


def _all_changed(source: SizedSource, request: Asked, base: dict[str, int], back: bool) -> Iterator[dict[str, int]]:
    """Sizes that all differ from the base, each by another amount, so that one more sample tells every size from every other and
    from those of the weights: a number of channels that shrank as the height did is not taken for a height. Where that does not
    run: constants of the same value by the same amount, then only those that may change alone. `back`: the amounts in the
    opposite order, for programs of which there is no other sample that changes all (two samples have a line through them)."""
    names = _changeable(source, base)
    values = sorted({base[name] for name in names})

    def changed(places: dict[str, int]) -> dict[str, int]:
        most = max(places.values(), default=0)
        return {n: base[n] + (1 if source.by_name(n).batch_like else SMALL) * (most - k + 1 if back else k) for n, k in places.items()}

    steps, alike = changed({name: k + 1 for k, name in enumerate(names)}), changed({name: values.index(base[name]) + 1 for name in names})
    yield {**base, **steps}
    if alike != steps:
        yield {**base, **alike}
    alone = {name: steps[name] for name in names if _runs(source, request, {**base, name: steps[name]})}
    if alone:
        yield {**base, **alone}


def _changeable(source: SizedSource, base: dict[str, int]) -> list[str]:
    return [c.name for c in source.constants if c.batch_like or base[c.name] >= SMALL // 2]


def _runs(source: SizedSource, request: Asked, sizes: dict[str, int]) -> bool:
    for way in cost.WAYS[:2]:
        try:
            cost.dataless_cost(source, request.program, sizes, (1 << 62, 1 << 62), way)
            return True
        except ProblemError as exc:
            if not cost.lacks_data(exc):
                return False
    return False


def _first(source: SizedSource, request: Asked, sizes: dict[str, int], refusals: list[str]) -> tuple[str, Any]:
    without_numbers = None
    for way in WAYS:
        try:
            graph = _graph(source, request, sizes, way)
        except (ProblemError, export_graph.NotExportable) as exc:
            refusals.append(f"{way}: {one_line(str(exc), 300)}")
            last = exc
            continue
        if way != "fake" or not _lacks_numbers(graph):
            return way, graph
        without_numbers = graph  # a small tensor that is no weight: a module that is built for real has its numbers
    if without_numbers is not None:
        return "fake", without_numbers
    raise ProblemError("not_exportable", f"the program cannot be exported ({refusals[0]})", last.__cause__ or last)


def _lacks_numbers(graph: dict[str, Any]) -> bool:
    return any(argument["kind"] == "constant" and "data" not in argument and math.prod(argument["shape"]) <= export_graph.CONSTANT_LIMIT
               for argument in graph["arguments"])


def _graph(source: SizedSource, request: Asked, sizes: dict[str, int], way: str) -> dict[str, Any]:
    if way == "fake":
        with cost.dataless("fake"):
            program = request.program.execute(source, sizes, 0, "cpu")
            return _exported(program, program.build(0), program.inputs(0), request.operators)
    if way == "real":
        program = request.program.execute(source, sizes, 0, "cpu")
        model = program.build(0)
        with cost.dataless("fake"):
            return _exported(program, model, program.inputs(0), request.operators)
    with torch.device("meta"):
        program = request.program.execute(source, sizes, 0, "meta")
        return _exported(program, program.build(0), program.inputs(0), request.operators)


def _exported(program: Program, model: Any, inputs: list[Any], operators: frozenset[str]) -> dict[str, Any]:
    names = program.input_names(model, len(inputs))
    found = {w.name: w for w in weights.collect(model)}
    return export_graph.graph_of(model, inputs, names, found, operators)


def _shown(given: dict[str, int], sizes: dict[str, int]) -> str:
    return ", ".join(f"{n}={v}" for n, v in sizes.items() if given.get(n) != v)
