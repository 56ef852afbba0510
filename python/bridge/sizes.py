"""The size constants of a problem file, found in its syntax tree and replaceable there.

A size constant is an integer, or an expression of integer literals alone (2 * 1024, 1 << 20),
  - assigned to a NAME at module level: called NAME;
  - inside a tuple, list, dictionary or call assigned at module level: called NAME[0], NAME['key'], NAME.keyword;
  - assigned in the body of a class: called Class.NAME;
  - in the function that makes the inputs or the constructor arguments, its default arguments included, or in a function
    that it calls: called function:line:column until it is known which extent it sets, then function[input].dimN.
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
            raise ProblemError("syntax", f"the file cannot be parsed: {str(exc) or 'it is nested too deeply'}", exc) from exc
        self.constants: list[Constant] = []
        self._find_module_constants()

    def compile(self, sizes: dict[str, int]) -> types.CodeType:
        """The code with these sizes; constants that are not named keep their given value."""
        self.place(sizes)
        try:
            return compile(self.tree, self.filename, "exec", dont_inherit=True)
        except SyntaxError as exc:
            raise ProblemError("syntax", f"syntax error: {exc.msg}", exc) from exc
        except (ValueError, RecursionError) as exc:
            raise ProblemError("syntax", f"the file cannot be compiled: {exc}", exc) from exc

    def place(self, sizes: dict[str, int]) -> None:
        for constant in self.constants:
            constant.node.value = sizes.get(constant.name, constant.value)

    def given(self) -> dict[str, int]:
        return {c.name: c.value for c in self.constants}

    def named(self, sizes: dict[str, int]) -> dict[str, int]:
        """The part of `sizes` worth telling: constants that set an extent of an input, and other large ones by name."""
        told = {c.name for c in self.constants if c.extents or (c.value >= LARGE and c.literal_of is None)}
        return {n: v for n, v in sizes.items() if n in told}

    def target_constants(self, target: str) -> None:
        """Attributes of the program's own class are read by its constructor, whatever get_init_inputs returns."""
        for constant in self.constants:
            if constant.literal_of is None and constant.name.startswith(target + "."):
                constant.reaches_init = True

    def function_names(self) -> list[str]:
        return [s.name for s in self.tree.body if isinstance(s, ast.FunctionDef)]

    def by_name(self, name: str) -> Constant:
        return next(c for c in self.constants if c.name == name)

    def add_literals(self, functions: list[str | None]) -> None:
        """Adds the integers (2 and above) that these module-level functions, and those they call, are written with."""
        uses = self._uses()
        reached = set().union(*(_closure(uses, name) | {name} for name in functions if name is not None))
        for statement in self.tree.body:
            if isinstance(statement, ast.FunctionDef) and statement.name in reached:
                _Literals(statement.name, self.constants).visit(statement)

    def mark_reach(self, inputs: str | None, init: str | None) -> None:
        """Notes which constants the two functions read, directly or through other definitions of the file."""
        uses = self._uses()
        for function, attribute in ((inputs, "reaches_inputs"), (init, "reaches_init")):
            reached = _closure(uses, function) | {function}
            for constant in self.constants:
                if function is not None and (constant.literal_of or _base(constant.name)) in reached:
                    setattr(constant, attribute, True)

    def _uses(self) -> dict[str, set[str]]:
        """Name defined at module level -> names that its definition reads."""
        uses: dict[str, set[str]] = {}
        for statement in self.tree.body:
            loaded = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            for name in _defined_names(statement):
                uses.setdefault(name, set()).update(loaded - {name})
        return uses

    def _find_module_constants(self) -> None:
        seen: set[str] = set()
        for statement in self.tree.body:
            self._from_statement(statement, "", seen)
            for inner in statement.body if isinstance(statement, ast.ClassDef) else ():
                self._from_statement(inner, statement.name + ".", seen)

    def _from_statement(self, statement: ast.stmt, prefix: str, seen: set[str]) -> None:
        if isinstance(statement, ast.Assign):
            self._from_assignment(statement.targets[0], statement, prefix, seen)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._from_assignment(statement.target, statement, prefix, seen)

    def _from_assignment(self, target: ast.expr, statement: ast.Assign | ast.AnnAssign, prefix: str,
                         seen: set[str]) -> None:
        value = statement.value
        if isinstance(target, ast.Name):
            statement.value = self._take(prefix + target.id, value, seen)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for i, name in enumerate(target.elts):
                if isinstance(name, ast.Name):
                    value.elts[i] = self._take(prefix + name.id, value.elts[i], seen)

    def _take(self, name: str, value: ast.expr, seen: set[str]) -> ast.expr:
        """Records the constants in `value`; returns it with integer expressions folded into one literal."""
        if isinstance(value, (ast.Tuple, ast.List)):
            for i, element in enumerate(value.elts):
                value.elts[i] = self._take(f"{name}[{i}]", element, seen)
            return value
        if isinstance(value, ast.Dict):
            for i, key in enumerate(value.keys):
                if isinstance(key, ast.Constant):
                    value.values[i] = self._take(f"{name}[{key.value!r}]", value.values[i], seen)
            return value
        if isinstance(value, ast.Call):
            for i, argument in enumerate(value.args):
                value.args[i] = self._take(f"{name}[{i}]", argument, seen)
            for keyword in value.keywords:
                keyword.value = self._take(f"{name}.{keyword.arg}", keyword.value, seen)
            return value
        number = _fold(value)
        if number is None or number < 2 or name in seen:
            return value
        seen.add(name)
        node = ast.copy_location(ast.Constant(number), value)
        self.constants.append(Constant(name, number, node))
        return node


class _Literals(ast.NodeTransformer):
    """Records the integers of a function; an expression of literals becomes one literal, hence one size."""

    def __init__(self, function: str, into: list[Constant]) -> None:
        self.function = function
        self.into = into

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self._record(node, node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        number = _fold(node)
        if number is None:
            return self.generic_visit(node)
        return self._record(node, ast.copy_location(ast.Constant(number), node))

    def _record(self, node: ast.expr, folded: ast.Constant) -> ast.expr:
        if not _is_int(folded) or folded.value < 2:
            return node
        name = f"{self.function}:{node.lineno}:{node.col_offset + 1}"
        self.into.append(Constant(name, folded.value, folded, literal_of=self.function))
        return folded


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
    return name.split("[", 1)[0].split(".", 1)[0]
