"""The size constants of a problem file, found in its syntax tree and replaceable there.

A size constant is
  - NAME = <integer, or an expression of integer literals> at module level: called NAME;
  - an integer inside a tuple or list assigned at module level: called NAME[0], NAME[1], ...;
  - an integer literal in the function that makes the inputs or the constructor arguments: called function:line:column
    until it is known which extent it sets, then function[input].dimN.
Expressions of other constants (hidden = 4 * width) are no constants: they follow when the file is executed again.
"""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass, field

from ka_bridge.problem import ProblemError

LARGE = 32


@dataclass
class Constant:
    name: str
    value: int
    node: ast.Constant
    reaches_inputs: bool = False
    reaches_init: bool = False
    literal_of: str | None = None
    extents: list[tuple[int, int]] = field(default_factory=list)

    @property
    def first_class(self) -> bool:
        """Sets extents of inputs and is no argument of the constructor: batch and spatial sizes."""
        return self.reaches_inputs and not self.reaches_init

    @property
    def batch_like(self) -> bool:
        return bool(self.extents) and all(dim == 0 for _, dim in self.extents)


class SizedSource:
    """A parsed problem file whose size constants can be set before it is compiled."""

    def __init__(self, text: str, filename: str) -> None:
        self.text = text
        self.filename = filename
        try:
            self.tree = ast.parse(text, filename)
        except SyntaxError as exc:
            raise ProblemError("syntax", f"syntax error: {exc.msg}", exc) from exc
        except (ValueError, RecursionError, MemoryError) as exc:
            raise ProblemError("syntax", f"the file cannot be parsed: {exc}", exc) from exc
        self.constants: list[Constant] = []
        self._find_module_constants()

    def compile(self, sizes: dict[str, int]) -> types.CodeType:
        """The code with these sizes; constants that are not named keep their given value."""
        for constant in self.constants:
            constant.node.value = sizes.get(constant.name, constant.value)
        try:
            return compile(self.tree, self.filename, "exec", dont_inherit=True)
        except SyntaxError as exc:
            raise ProblemError("syntax", f"syntax error: {exc.msg}", exc) from exc
        except (ValueError, RecursionError) as exc:
            raise ProblemError("syntax", f"the file cannot be compiled: {exc}", exc) from exc

    def given(self) -> dict[str, int]:
        return {c.name: c.value for c in self.constants}

    def named(self, sizes: dict[str, int]) -> dict[str, int]:
        """The part of `sizes` worth telling: constants that set an extent of an input, and other large ones by name."""
        told = {c.name for c in self.constants if c.extents or (c.value >= LARGE and c.literal_of is None)}
        return {n: v for n, v in sizes.items() if n in told}

    def function_names(self) -> list[str]:
        return [s.name for s in self.tree.body if isinstance(s, ast.FunctionDef)]

    def by_name(self, name: str) -> Constant:
        return next(c for c in self.constants if c.name == name)

    def add_literals(self, functions: list[str | None]) -> None:
        """Adds the integer literals (2 and above) of these module-level functions."""
        known = {id(c.node) for c in self.constants}
        for statement in self.tree.body:
            if isinstance(statement, ast.FunctionDef) and statement.name in functions:
                for node in ast.walk(statement):
                    if _is_int(node) and node.value >= 2 and id(node) not in known:
                        name = f"{statement.name}:{node.lineno}:{node.col_offset + 1}"
                        self.constants.append(Constant(name, node.value, node, literal_of=statement.name))

    def mark_reach(self, inputs: str, init: str | None) -> None:
        """Notes which constants the two functions read, directly or through other definitions of the file."""
        uses: dict[str, set[str]] = {}
        for statement in self.tree.body:
            loaded = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            for name in _defined_names(statement):
                uses.setdefault(name, set()).update(loaded - {name})
        for function, attribute in ((inputs, "reaches_inputs"), (init, "reaches_init")):
            reached = _closure(uses, function)
            for constant in self.constants:
                hit = constant.literal_of == function if constant.literal_of else _base(constant.name) in reached
                if function is not None and hit:
                    setattr(constant, attribute, True)

    def _find_module_constants(self) -> None:
        seen: set[str] = set()
        for statement in self.tree.body:
            if isinstance(statement, ast.Assign) and len(statement.targets) >= 1:
                self._from_assignment(statement.targets[0], statement, seen)
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                self._from_assignment(statement.target, statement, seen)

    def _from_assignment(self, target: ast.expr, statement: ast.Assign | ast.AnnAssign, seen: set[str]) -> None:
        value = statement.value
        if isinstance(target, ast.Name):
            statement.value = self._take(target.id, value, seen)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for i, name in enumerate(target.elts):
                if isinstance(name, ast.Name):
                    value.elts[i] = self._take(name.id, value.elts[i], seen)

    def _take(self, name: str, value: ast.expr, seen: set[str]) -> ast.expr:
        """Records the constants in `value`; returns it with integer expressions folded into one literal."""
        if isinstance(value, (ast.Tuple, ast.List)):
            for i, element in enumerate(value.elts):
                value.elts[i] = self._take(f"{name}[{i}]", element, seen)
            return value
        number = _fold(value)
        if number is None or number < 2 or name in seen:
            return value
        seen.add(name)
        node = ast.copy_location(ast.Constant(number), value)
        self.constants.append(Constant(name, number, node))
        return node


def _is_int(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _fold(node: ast.expr) -> int | None:
    """The value of an expression made of integer literals with + - * // ** <<; None for anything else."""
    if _is_int(node):
        return node.value
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _fold(node.left), _fold(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, (ast.Pow, ast.LShift)) and not (0 <= right <= 40 and abs(left) <= 1024):
        return None
    operations = {ast.Add: int.__add__, ast.Sub: int.__sub__, ast.Mult: int.__mul__, ast.Pow: int.__pow__,
                  ast.LShift: int.__lshift__}
    if isinstance(node.op, ast.FloorDiv) and right != 0:
        return left // right
    operation = operations.get(type(node.op))
    return operation(left, right) if operation else None


def _defined_names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    return [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _closure(uses: dict[str, set[str]], start: str | None) -> set[str]:
    reached: set[str] = set()
    waiting = [start] if start is not None else []
    while waiting:
        for name in uses.get(waiting.pop(), ()):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached


def _base(name: str) -> str:
    return name.split("[", 1)[0]
