"""The child that finds the knobs of a kernel file: whole numbers at its launches that may be others without changing what is computed. It reads the text and executes nothing.

    knobs   text -> knobs [{kernel, name, kind, value, line, places [[begin, end]]}], in the order of the file; places are bytes of the text, all of which hold the value
            or {"refused": sentence}

A knob is a number that is written at the launch itself, or a name that is assigned just once. Where the grid divides by the same number, it is the same knob: blocks of another
size need another number of programs. Two names are two knobs, though they have the same number now. Whether a change is right is not decided here: the judge says.
"""

from __future__ import annotations

import ast
from typing import Any

from ka_bridge.conn import Conn, error_answer

KINDS = {"num_warps": "warps", "num_stages": "stages"}
SMALLEST_BLOCK = 2  # a number like 1 is more often a count than a size
DIVIDERS = ("cdiv", "ceil_div", "next_multiple")


class Lines:
    """Where a node of the tree is in the text, in bytes."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        for line in text.encode().split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def place(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset


def number(node: ast.AST) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


class Scope:
    """Names that are assigned exactly once, in the function of a launch or in the module."""

    def __init__(self, body: ast.AST) -> None:
        seen: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(body):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    names = [target] if isinstance(target, ast.Name) else [each for each in ast.walk(target) if isinstance(each, ast.Name)]
                    for name in names:
                        seen.setdefault(name.id, []).append(node.value if isinstance(target, ast.Name) and len(node.targets) == 1 else None)
            elif isinstance(node, (ast.AugAssign, ast.For, ast.NamedExpr, ast.AnnAssign)) and isinstance(node.target, ast.Name):
                seen.setdefault(node.target.id, []).append(node.value if isinstance(node, ast.AnnAssign) else None)
            elif isinstance(node, ast.arg):
                seen.setdefault(node.arg, []).append(None)
        self._values = {name: values[0] for name, values in seen.items() if len(values) == 1}
        self._taken = set(seen)

    def value(self, name: str) -> ast.expr | None:
        return self._values.get(name)

    def knows(self, name: str) -> bool:
        return name in self._taken


class Finder:
    def __init__(self, text: str) -> None:
        self._lines = Lines(text)
        self._tree = ast.parse(text)
        module = ast.Module(body=[node for node in self._tree.body if not isinstance(node, (ast.FunctionDef, ast.ClassDef))], type_ignores=[])
        self._module = Scope(module)
        self.knobs: list[dict[str, Any]] = []

    def run(self) -> list[dict[str, Any]]:
        for function in ast.walk(self._tree):
            if isinstance(function, ast.FunctionDef):
                scope = Scope(function)
                for node in ast.walk(function):
                    if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
                        self._launch(node, node.func, scope)
        return sorted(self.knobs, key=lambda knob: knob["places"][0])

    def _resolved(self, node: ast.AST, scope: Scope) -> ast.AST:
        """A name as what it stands for."""
        if not isinstance(node, ast.Name):
            return node
        return (scope.value(node.id) if scope.knows(node.id) else self._module.value(node.id)) or node

    def _launch(self, call: ast.Call, target: ast.Subscript, scope: Scope) -> None:
        kernel = ast.unparse(target.value)
        grid = self._resolved(target.slice, scope)
        for keyword in call.keywords:
            if keyword.arg is None:
                continue
            written = self._resolved(keyword.value, scope)
            value = number(written)
            kind = KINDS.get(keyword.arg, "block")
            if value is None or (kind == "block" and (value < SMALLEST_BLOCK or value & (value - 1) != 0)):
                continue
            assert isinstance(written, ast.expr)
            places = {self._lines.place(written)}
            if kind == "block":
                named = written is not keyword.value
                places |= {self._lines.place(divisor) for divisor, has_name in self._divisors(grid, scope) if number(divisor) == value and not (named and has_name)}
            knob = {"kernel": kernel, "name": keyword.arg, "kind": kind, "value": value, "line": call.lineno, "places": sorted(places)}
            same = next((known for known in self.knobs if set(known["places"]) & places), None)
            if same is None:
                self.knobs.append(knob)
            else:  # a number that several launches take
                same["places"] = sorted(set(same["places"]) | places)

    def _divisors(self, grid: ast.AST, scope: Scope) -> list[tuple[ast.expr, bool]]:
        """What the grid divides by, and whether it is written there as a name."""
        out: list[ast.expr] = []
        for node in ast.walk(grid):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
                out.append(node.right)
            elif isinstance(node, ast.Call) and len(node.args) == 2 and ast.unparse(node.func).rpartition(".")[2] in DIVIDERS:
                out.append(node.args[1])
        resolved = [(self._resolved(node, scope), node) for node in out]
        return [(node, node is not written) for node, written in resolved if isinstance(node, ast.expr)]


def find(text: str) -> list[dict[str, Any]]:
    return Finder(text).run()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    if request.get("cmd") != "knobs":
        return error_answer("protocol", None, message=f"unexpected request {request.get('cmd')!r}")
    try:
        return {"ok": True, "knobs": find(request["text"])}
    except SyntaxError as problem:
        return {"ok": True, "refused": f"line {problem.lineno}: {problem.msg}"}
    except (RecursionError, MemoryError, ValueError):
        return {"ok": True, "refused": "the text cannot be read as Python"}
    except Exception as problem:
        return error_answer("internal", problem)


def main(conn: Conn) -> None:
    while (packet := conn.recv()) is not None:
        conn.send(answer(packet[0]))
