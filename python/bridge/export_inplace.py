"""Writes in place as new values, for the programs where that is plain to see.

A network of batch norms and `relu_` writes in place everywhere, and nothing else ever looks at the memory that is written.
Then the operator without the underscore says the same, and what read the old name afterwards reads the new value.
PyTorch's own way (run_decompositions) traces the whole program once more, which costs three times the export; it remains
for the programs in which views of written memory live on.
"""

from __future__ import annotations

from typing import Any

import torch

BATCH_NORM = "aten.batch_norm.default"
FUNCTIONAL_BATCH_NORM = "aten._native_batch_norm_legit_functional.default"
RUNNING = {"running_mean": 3, "running_var": 4}  # outputs of the functional batch norm that are the new statistics
MAY_WRITE = ("aten.instance_norm.default",)      # writes running statistics; its schema does not say so


def is_training_norm(node: Any) -> bool:
    return str(node.target) == BATCH_NORM and bool(node.args[5]) and node.args[3] is not None


def mutates(node: Any) -> bool:
    """Whether the operator writes to one of its operands."""
    if node.op != "call_function" or not hasattr(node.target, "_schema"):
        return False
    return node.target._schema.is_mutable or is_training_norm(node) or (str(node.target) in MAY_WRITE and node.args[3] is not None and bool(node.args[5]))


def written(node: Any) -> dict[Any, int]:
    """The operands that a node writes to, and which output of its functional form is their new value."""
    if is_training_norm(node):
        return {node.args[3]: RUNNING["running_mean"], node.args[4]: RUNNING["running_var"]}
    return {node.args[0]: 0}


def functional_name(node: Any) -> str | None:
    """The operator that computes the same without writing; None where there is none with the same operands."""
    if is_training_norm(node):
        return FUNCTIONAL_BATCH_NORM
    schema = node.target._schema
    arguments = [a for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
    name = schema.name.removeprefix("aten::")
    if len(arguments) != 1 or arguments[0] is not schema.arguments[0] and arguments[0].name != schema.arguments[0].name:
        return None
    if not name.endswith("_") or len(schema.returns) != 1 or not hasattr(torch.ops.aten, name[:-1]):
        return None
    overload = schema.overload_name or "default"
    functional = getattr(getattr(torch.ops.aten, name[:-1]), overload, None)
    if functional is None or [a.name for a in functional._schema.arguments] != [a.name for a in schema.arguments]:
        return None
    return str(functional)


class Versions:
    """Which value a node of the program stands for at this point of the walk over it."""

    def __init__(self) -> None:
        self.now: dict[Any, tuple[Any, int | None]] = {}  # node -> the node that made its present value, and which output

    def note(self, node: Any) -> None:
        """The node has been written down: whatever it wrote to has a new value."""
        if not mutates(node):
            return
        single = not is_training_norm(node)
        for target, output in written(node).items():
            old = self.now.get(target, (target, None))
            for name in [n for n, value in self.now.items() if value == old] + [target, old[0]]:
                self.now[name] = (node, None if single else output)

    def of(self, node: Any) -> tuple[Any, int | None]:
        if node in self.now:
            return self.now[node]
        return node, 0 if node.op == "call_function" and is_training_norm(node) else None


def is_plain(graph: Any) -> bool:
    """Whether nothing reads, through another name, memory that was written before."""
    nodes = list(graph.nodes)
    if not any(mutates(node) for node in nodes):
        return True
    last_use = {node: position for position, user in enumerate(nodes) for node in user.all_input_nodes}
    sharing: dict[int, list[Any]] = {}
    same: dict[Any, Any] = {}  # the result of a write is its operand
    for position, node in enumerate(nodes):
        if mutates(node):
            if functional_name(node) is None:
                return False
            for target in written(node):
                if not isinstance(target, torch.fx.Node):
                    return False
                one = same.get(target, target)
                others = [n for n in sharing.get(_storage(target), []) if same.get(n, n) is not one]
                if any(n.op == "placeholder" or last_use.get(n, -1) > position for n in others):
                    return False
                if not is_training_norm(node):
                    same[node] = one
        if _storage(node) is not None:
            sharing.setdefault(_storage(node), []).append(node)
    return True


def _storage(node: Any) -> int | None:
    value = node.meta.get("val")
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) else None
