"""One exported program as plain JSON: arguments, nodes with named operands, outputs, updated buffers.

Operands are named by the operator's schema, defaults filled in. A tensor is {"t": node} or {"t": node, "i": output};
a list of tensors {"ts": [...]}; a dtype {"dtype": name}; a float that JSON cannot say {"f": "inf"}; everything else is
itself. Writes in place become new values here where nothing else sees the memory (export_inplace); the other programs
are made functional by PyTorch itself (run_decompositions with an empty table), which costs more than the export; so does
the replacement of operators that the reader does not know (export_decompose).
"""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _disable_current_modes

from ka_bridge import export_decompose, export_inplace, export_shapes, structures
from ka_bridge.conn import one_line

CONSTANT_LIMIT = 1 << 16
_MISSING = object()


class NotExportable(Exception):
    """torch.export refused the program, or it uses something that a graph cannot hold."""


class _Function(nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def graph_of(model: Any, inputs: list[Any], names: list[str], weights: dict[str, Any], operators: frozenset[str]) -> dict[str, Any]:
    module = model if isinstance(model, nn.Module) else _Function(model)
    with warnings.catch_warnings(), torch.no_grad(), export_shapes.shapes_only(), export_decompose.without_value_checks():
        warnings.simplefilter("ignore")
        try:
            with export_shapes.shapes_only(export_shapes.NORMS):
                program = torch.export.export(module, tuple(inputs), strict=False)
            if _has_regions(program.graph) or not export_inplace.is_plain(program.graph):
                program = program.run_decompositions({})
            program = export_decompose.in_terms_of(operators, program)
        except BaseException as exc:
            raise NotExportable(_why_not(exc)) from exc
    return _Writer(program, inputs, names, weights).document()


class _Writer:
    def __init__(self, program: Any, inputs: list[Any], names: list[str], weights: dict[str, Any]) -> None:
        self.program = program
        self.inputs = inputs
        self.names = names
        self.weights = weights
        self.versions = export_inplace.Versions()

    def document(self) -> dict[str, Any]:
        graph = self.program.graph
        arguments = [self._argument(spec) for spec in self.program.graph_signature.input_specs]
        nodes = []
        for node in graph.nodes:
            if node.op == "call_function" and node.target is not operator.getitem:
                nodes.append(self._node(node))
                self.versions.note(node)
        outputs, updates = [], self._written()
        for spec in self.program.graph_signature.output_specs:
            kind = spec.kind.name
            if kind == "USER_OUTPUT":
                outputs.append({"value": spec.arg.value} if hasattr(spec.arg, "value") else self._value(spec.arg.name))
            elif kind in ("BUFFER_MUTATION", "USER_INPUT_MUTATION"):
                updates.append({"target": self._placeholder(spec.target, kind), "value": self._value(spec.arg.name)})
            else:
                raise NotExportable(f"the program has an output of kind {kind}")
        structure, order = _structure(self.program.call_spec.out_spec, outputs)
        return {"arguments": arguments, "nodes": nodes, "outputs": [outputs[i] for i in order], "updates": updates,
                "structure": structure}

    def _written(self) -> list[dict[str, Any]]:
        """Buffers and inputs that the program has written to, with their last value."""
        found = []
        placeholders = {node.name: node for node in self.program.graph.nodes if node.op == "placeholder"}
        for spec in self.program.graph_signature.input_specs:
            node = placeholders.get(spec.arg.name)
            if node in self.versions.now:
                found.append({"target": spec.arg.name, "value": self._operand(node)})
        return found

    def _placeholder(self, target: str, kind: str) -> str:
        """The node of the argument that is changed: an input and a buffer may have the same name, nodes never do."""
        if kind == "USER_INPUT_MUTATION":
            return target
        return next(spec.arg.name for spec in self.program.graph_signature.input_specs if spec.target == target)

    def _value(self, name: str) -> dict[str, Any]:
        node = next(n for n in self.program.graph.nodes if n.name == name)
        return self._operand(node)

    def _argument(self, spec: Any) -> dict[str, Any]:
        kind = spec.kind.name
        name = spec.arg.name
        if kind == "USER_INPUT":
            position = [s.arg.name for s in self.program.graph_signature.input_specs
                        if s.kind.name == "USER_INPUT"].index(name)
            value = self.inputs[position]
            base = {"node": name, "kind": "input", "name": self.names[position]}
            return {**base, **_described(value)} if isinstance(value, torch.Tensor) else {**base, "scalar": _plain(value)}
        if kind in ("PARAMETER", "BUFFER"):
            weight = self.weights.get(spec.target)
            if weight is None:
                raise NotExportable(f"the weight {spec.target} is not one of the module's own")
            return {"node": name, "kind": weight.kind, "name": weight.name, "argument": weight.argument,
                    "tied_to": weight.tied_to, **_described(weight.tensor)}
        if kind == "CONSTANT_TENSOR":
            value = self.program.constants[spec.target]
            return {"node": name, "kind": "constant", "name": spec.target, **_described(value), **_data(value)}
        raise NotExportable(f"the program has an input of kind {kind}")

    def _node(self, node: Any) -> dict[str, Any]:
        target = node.target
        if not hasattr(target, "_schema"):
            raise NotExportable(f"{_where(node)} {getattr(target, '__name__', target)} is not an operator of PyTorch")
        arguments = {}
        for position, argument in enumerate(target._schema.arguments):
            value = _MISSING
            if argument.name in node.kwargs:
                value = node.kwargs[argument.name]
            elif position < len(node.args):
                value = node.args[position]
            elif argument.has_default_value():
                value = argument.default_value
            arguments[argument.name] = self._operand(None if value is _MISSING else value)
        written = {"name": node.name, "op": str(target), "args": arguments, "outs": _outputs(node), "where": _where(node)}
        if export_inplace.mutates(node):
            written["op"] = export_inplace.functional_name(node)
        if target is torch.ops.aten.einsum.default:
            arguments.pop("path")  # an order that opt_einsum, where it is installed, chose for these sizes; another gives the same sums
        if _draws(target):
            arguments.update(export_shapes.memory_order(node), inplace=target._schema.is_mutable)
        if export_inplace.is_training_norm(node):
            arguments.pop("cudnn_enabled", None)
            statistics = _described(node.args[3].meta["val"])
            written["outs"] = [*written["outs"], *[dict(statistics) for _ in range(4)]]
        return written

    def _operand(self, value: Any) -> Any:
        if isinstance(value, torch.fx.Node):
            if value.op == "call_function" and value.target is operator.getitem:
                return {"t": value.args[0].name, "i": value.args[1]}
            made, output = self.versions.of(value)
            return {"t": made.name} if output is None else {"t": made.name, "i": output}
        if isinstance(value, (list, tuple)):
            if any(isinstance(v, torch.fx.Node) for v in value):
                return {"ts": [self._operand(v) for v in value]}
            return [_plain(v) for v in value]
        return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, float) and not math.isfinite(value):
        return {"f": str(value)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (torch.device, torch.layout, torch.memory_format, torch.Generator)):
        return {"other": str(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    raise NotExportable(f"a value of type {type(value).__name__} in the program")


def _described(value: torch.Tensor) -> dict[str, Any]:
    return {"dtype": str(value.dtype).removeprefix("torch."), "shape": [int(n) for n in value.shape],
            "strides": [int(n) for n in value.stride()]}


def _outputs(node: Any) -> list[dict[str, Any] | None]:
    value = node.meta.get("val")
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if any(isinstance(n, torch.SymInt) for v in values if isinstance(v, torch.Tensor) for n in v.shape):
        raise NotExportable(f"{_where(node)}: {node.target}: the shape of its result depends on values")
    return [_described(v) if isinstance(v, torch.Tensor) else None for v in values]


def _draws(target: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in target.tags or "dropout" in target._schema.name


def _has_regions(graph: Any) -> bool:
    """Parts under autocast, or with another gradient mode, are graphs of their own; PyTorch puts them in their places, with their casts. Calls of
    torch.vmap are functions of Python, which are left out in the same way."""
    return any(isinstance(node.target, torch._ops.HigherOrderOperator) or node.op == "call_function" and node.target is not operator.getitem
               and not hasattr(node.target, "_schema") for node in graph.nodes)


def _why_not(exc: BaseException) -> str:
    """Values that decide something while there are none are what most refusals are about: said in a sentence, with the operator."""
    kind = type(exc).__name__
    if kind == "DynamicOutputShapeException":
        return f"{getattr(exc, 'func', exc)}: the shape of its result depends on values"
    if kind in ("GuardOnDataDependentSymNode", "DataDependentOutputException"):
        return f"{getattr(exc, 'func', 'forward')}: a number of Python (.item(), int(), float(), a condition) is taken from a tensor's values"
    return f"{kind}: {one_line(str(exc), 400)}"


def _data(value: torch.Tensor) -> dict[str, Any]:
    """The numbers of a small constant, where it has any."""
    if type(value).__name__ == "FakeTensor" or value.is_meta or value.numel() > CONSTANT_LIMIT:
        return {}
    with _disable_current_modes():
        return {"data": [_plain(v) for v in value.detach().flatten().tolist()]}


def _where(node: Any) -> str:
    """file:line of the innermost line of the program that led to this node."""
    place = ""
    for line in (node.meta.get("stack_trace") or "").splitlines():
        line = line.strip()
        if line.startswith('File "') and "/torch/" not in line:
            name, _, rest = line[6:].partition('", line ')
            place = f"{name}:{rest.split(',', 1)[0]}"
    return place


def _structure(spec: Any, outputs: list[Any]) -> tuple[str, list[int]]:
    """How the outputs are packed, and their order in that text."""
    nothing = {"value": None}
    packed = pytree.tree_unflatten([None if out == nothing else i for i, out in enumerate(outputs)], spec)
    try:
        return structures.packed(packed, lambda value: type(value) is int, False)
    except structures.NotPacked as exc:
        raise NotExportable(f"forward returns {exc}") from exc
