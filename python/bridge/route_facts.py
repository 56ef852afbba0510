"""Facts about a problem from its syntax tree, for the choice of a route; nothing is executed.

Operations are counted where data flows: in `forward` (or the function that is the problem) and in what it calls in the same
file. A layer that the constructor makes and `forward` calls counts as the function of the same name, so `nn.ReLU`, `F.relu`,
`torch.relu` and `x.relu()` are all one `relu`.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from ka_bridge.route_words import ACTIVATIONS, ATTENTION, METHODS, NOT_OPS, PRODUCTS, operation

MOST_CALLS = 5000  # functions of the file that are followed, each time they are called


class _File:
    def __init__(self, tree: ast.Module) -> None:
        self.classes = {s.name: s for s in tree.body if isinstance(s, ast.ClassDef)}
        self.functions = {s.name: s for s in tree.body if isinstance(s, ast.FunctionDef)}
        self.modules: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.modules[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        self.ops: dict[str, int] = {}
        self.lines: dict[str, set[int]] = {}
        self.active, self.calls = [], 0

    def facts(self, target: str) -> dict[str, Any]:
        if target in self.functions:
            chain = self.follow(self.functions[target], {})
        else:  # an object that is no definition is an instance of one of the classes
            classes = [self.classes[target]] if target in self.classes else self.classes.values()
            chain = max((self.follow_class(c) for c in classes), default=0)
        order = self.order()
        soft = [i for i, name in enumerate(order) if name == "softmax"]
        products = [i for i, name in enumerate(order) if name in PRODUCTS]
        by_hand = any(min(products, default=i) < i < max(products, default=i) for i in soft)
        if by_hand:
            self.lines.setdefault("attention", set()).update(self.lines.get("op:softmax", ()))
        return {
            "has_attention_like": bool(ATTENTION & set(self.ops)) or by_hand,
            "has_conv": any(re.fullmatch(r"(lazy_)?conv[123]d", name) for name in self.ops),
            "has_conv_transpose": any("conv_transpose" in name for name in self.ops),
            "has_group_norm": "group_norm" in self.ops,
            "has_control_flow": "control_flow" in self.lines,
            "pool_ops": sum(count for name, count in self.ops.items() if "_pool" in name),
            "act_ops": sum(self.ops.get(name, 0) for name in ACTIVATIONS),
            "chain_length": chain,
            "op_names": dict(sorted(self.ops.items())),
            "lines": {name: sorted(lines) for name, lines in sorted(self.lines.items()) if not name.startswith("op:")},
        }

    def order(self) -> list[str]:
        """Operations by the line where they are called: a softmax between two products is attention."""
        return [name for _, name in sorted((line, key[3:]) for key, lines in self.lines.items() if key.startswith("op:") for line in lines)]

    def note(self, name: str, node: ast.AST) -> None:
        self.ops[name] = self.ops.get(name, 0) + 1
        kinds = ["attention"] * (name in ATTENTION) + ["conv_transpose"] * ("conv_transpose" in name)
        for key in (f"op:{name}", *kinds):
            self.lines.setdefault(key, set()).add(getattr(node, "lineno", 0))

    def follow_class(self, definition: ast.ClassDef) -> int:
        methods = {s.name: s for s in definition.body if isinstance(s, ast.FunctionDef)}
        if "forward" not in methods:  # inherited from a class of the file
            bases = [self.classes[b.id] for b in definition.bases if isinstance(b, ast.Name) and b.id in self.classes]
            return max((self.follow_class(b) for b in bases if b is not definition), default=0)
        return self.follow(methods["forward"], _layers(definition), methods)

    def follow(self, function: ast.FunctionDef, layers: dict[str, list[ast.expr]], methods: dict[str, ast.FunctionDef] | None = None) -> int:
        """The length of the longest chain of operations from its arguments to what it returns."""
        self.calls += 1
        if function in self.active or self.calls > MOST_CALLS:
            return 0
        self.active.append(function)
        length = _Flow(self, layers, methods or {}).run(function)
        self.active.pop()
        return length

    def dotted(self, node: ast.expr) -> str | None:
        """torch.nn.functional.relu for F.relu; None for what is no name of a module."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts, node = [*parts, node.attr], node.value
        if not isinstance(node, ast.Name) or node.id not in self.modules:
            return None
        return ".".join([self.modules[node.id], *reversed(parts)])

    def layer(self, made: ast.expr) -> int:
        """The chain through one layer as the constructor made it."""
        if not isinstance(made, ast.Call):
            return max((self.layer(part) for part in _parts(made) if part is not made), default=0)
        if isinstance(made.func, ast.Name) and made.func.id in self.classes:
            return self.follow_class(self.classes[made.func.id])
        name = self.dotted(made.func) or ""
        last = name.rsplit(".", 1)[-1]
        if last in ("Sequential", "ModuleList", "ModuleDict"):
            return sum(self.layer(part) for argument in made.args for part in _parts(argument))
        if operation(last) in NOT_OPS or not name.startswith("torch"):
            return 0
        self.note(operation(last), made)
        return 1


def facts(tree: ast.Module, target: str) -> dict[str, Any]:
    """The fields of RouteFeatures for the class or function `target`."""
    return _File(tree).facts(target)


def _parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Starred):
        return _parts(node.value)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [part for item in node.elts for part in _parts(item)]
    inner = {ast.ListComp: "elt", ast.GeneratorExp: "elt", ast.IfExp: "body"}.get(type(node))
    return _parts(getattr(node, inner)) if inner else [node]


def _layers(definition: ast.ClassDef) -> dict[str, list[ast.expr]]:
    """self.NAME -> the expressions that the class's methods assign to it."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(definition):
        if isinstance(node, ast.Assign):
            for target in (t for t in node.targets if _own(t)):
                found.setdefault(target.attr, []).append(_resolved(definition, node.value))
    return found


def _own(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _resolved(definition: ast.ClassDef, value: ast.expr) -> ast.expr:
    """What self._make_layer(...) returns, and for nn.Sequential(*layers) what was put into `layers` before."""
    if isinstance(value, ast.Call) and _own(value.func):
        made = [r.value for m in definition.body if isinstance(m, ast.FunctionDef) and m.name == value.func.attr
                for r in ast.walk(m) if isinstance(r, ast.Return) and isinstance(r.value, ast.Call) and not _own(r.value.func)]
        classes = [ast.copy_location(ast.Call(func=a, args=[], keywords=[]), value) for a in value.args if isinstance(a, ast.Name)]
        if not made:
            return value
        inner = _resolved(definition, made[0])  # and the class of the block that the method is given
        return ast.copy_location(ast.Call(func=inner.func, args=[*inner.args, *classes], keywords=[]), inner)
    if not isinstance(value, ast.Call) or not any(isinstance(a, ast.Starred) and isinstance(a.value, ast.Name) for a in value.args):
        return value
    name = next(a.value.id for a in value.args if isinstance(a, ast.Starred) and isinstance(a.value, ast.Name))
    items: list[ast.expr] = []
    for node in ast.walk(definition):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            items += _parts(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "extend") \
                and isinstance(node.func.value, ast.Name) and node.func.value.id == name:
            items += [part for a in node.args for part in _parts(a)]
    return ast.copy_location(ast.Call(func=value.func, args=items, keywords=[]), value)


class _Flow:
    """One function: how many operations lie behind each of its variables; NO_DATA for sizes and other plain values."""

    def __init__(self, file: _File, layers: dict[str, list[ast.expr]], methods: dict[str, ast.FunctionDef]) -> None:
        self.file, self.layers, self.methods, self.depths = file, layers, methods, dict[str, int]()
        self.items: dict[str, str] = {}  # loop variable -> the ModuleList that it walks over
        self.longest = 0

    def run(self, function: ast.FunctionDef) -> int:
        taken = function.args
        self.depths = {a.arg: 0 for a in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs) if a.arg != "self"}
        self.statements(function.body)
        return self.longest

    def statements(self, body: list[ast.stmt]) -> None:
        for node in body:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.If, ast.For, ast.While, ast.Match)):
            self.file.lines.setdefault("control_flow", set()).add(node.lineno)
        if isinstance(node, ast.For):
            self.loop(node)
        elif isinstance(node, (ast.If, ast.While)):
            self.depth(node.test)
            self.statements([*node.body, *node.orelse])
        elif isinstance(node, (ast.With, ast.Try)):
            self.statements(node.body)
        elif isinstance(node, ast.Match):
            self.statements([statement for case in node.cases for statement in case.body])
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            self.bind(node.targets if isinstance(node, ast.Assign) else [node.target], self.depth(node.value))
        elif isinstance(node, ast.AugAssign):
            self.bind([node.target], self.arithmetic(node, max(self.depth(node.value), self.depth(node.target))))
        elif isinstance(node, (ast.Return, ast.Expr)) and node.value is not None:
            self.longest = max(self.longest, self.depth(node.value))

    def loop(self, node: ast.For) -> None:
        source = node.iter
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id in ("enumerate", "reversed", "zip"):
            source = source.args[0] if source.args else source
        if isinstance(source, ast.Attribute) and source.attr in self.layers:
            self.items.update({n.id: source.attr for n in ast.walk(node.target) if isinstance(n, ast.Name)})
        self.bind([node.target], self.depth(node.iter))
        self.statements(node.body)

    def bind(self, targets: list[ast.expr], value: int) -> None:
        for target in targets:
            self.depths.update({n.id: value for n in ast.walk(target) if isinstance(n, ast.Name)})
        self.longest = max(self.longest, value)

    def arithmetic(self, node: ast.BinOp | ast.AugAssign, inner: int) -> int:
        if inner == NO_DATA:
            return inner
        self.file.note(_OPERATORS.get(type(node.op), "arithmetic"), node)
        return inner + 1

    def depth(self, node: ast.expr) -> int:
        if isinstance(node, ast.Name):
            return self.depths.get(node.id, NO_DATA)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "dtype", "device", "ndim"):
            return NO_DATA
        if isinstance(node, ast.IfExp):
            self.file.lines.setdefault("control_flow", set()).add(node.lineno)
        inner = max((self.depth(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)), default=NO_DATA)
        return self.arithmetic(node, inner) if isinstance(node, ast.BinOp) else inner

    def call(self, node: ast.Call) -> int:
        given = [*node.args, *(k.value for k in node.keywords)]
        inner = max((self.depth(a.value if isinstance(a, ast.Starred) else a) for a in given), default=NO_DATA)
        func = node.func
        name = self.file.dotted(func)
        if name is not None:
            return self.computed(operation(name.rsplit(".", 1)[-1]), node, inner) if _is_function(name) else inner
        layer = self.layer_name(func)
        if layer is not None:
            return max(inner, 0) + max((self.file.layer(made) for made in self.layers[layer]), default=0)
        if _own(func) and func.attr in self.methods:
            return max(inner, 0) + self.file.follow(self.methods[func.attr], self.layers, self.methods)
        if isinstance(func, ast.Name) and func.id in self.file.functions:
            return max(inner, 0) + self.file.follow(self.file.functions[func.id], {})
        if not isinstance(func, ast.Attribute):
            return inner
        inner = max(inner, self.depth(func.value))
        if func.attr in ("size", "dim", "numel", "item"):
            return NO_DATA
        return self.computed(operation(func.attr), node, inner) if operation(func.attr) in METHODS else inner

    def computed(self, op: str, node: ast.Call, inner: int) -> int:
        if op in NOT_OPS:
            return max(inner, 0)
        self.file.note(op, node)
        return max(inner, 0) + 1

    def layer_name(self, func: ast.expr) -> str | None:
        """The attribute behind self.conv, self.convs[i] and the variable of a loop over self.convs."""
        if isinstance(func, ast.Subscript):
            func = func.value
        if isinstance(func, ast.Name):
            return self.items.get(func.id)
        return func.attr if _own(func) and func.attr in self.layers else None


NO_DATA = -1
_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.MatMult: "matmul", ast.Mod: "remainder"}


def _is_function(name: str) -> bool:
    """A function of PyTorch: torch.relu, F.relu, torch.nn.functional.relu; not a class, not math.sqrt."""
    return name.startswith("torch.") and not name.rsplit(".", 1)[-1][:1].isupper()
