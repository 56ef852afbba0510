"""Widths written as literals inside classes: the last resort of scaling (docs/scaling.md, rule 8).

A network whose channel counts are literals of its constructor cannot be made smaller by any constant of the file. Then the
integer literals in constructors (default arguments included) that are multiples of 16 are divided by one common divisor, so
that what was equal stays equal and what was a multiple stays one; if the program does not run so, the literals of the other
methods are divided too. A literal that means something else, such as an image size that the inputs must have, shows
by the program no longer running: its value is left out. One that changes no weight is a factor, not a width, and is
left as it is. Nothing is known about names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ka_bridge.sizes import SizedSource

DIVISORS = (2, 4, 8)
UNIT = 16
MOST_LEFT_OUT = 8


class Choice(NamedTuple):
    """Which literals are divided: all methods or constructors only, and the values that are left out."""

    everywhere: bool
    left_out: frozenset[int]


class Widths:
    """The width literals of a file. divide() changes them in the tree; the next compile() has them."""

    def __init__(self, source: SizedSource) -> None:
        sized = {id(c.node) for c in source.constants}
        self.nodes: list[tuple[ast.Constant, int, bool]] = []
        for statement in source.tree.body:
            for part in statement.body if isinstance(statement, ast.ClassDef) else ():
                constructor = isinstance(part, ast.FunctionDef) and part.name == "__init__"
                self.nodes += [(n, n.value, constructor) for n in ast.walk(part) if _is_width(n) and id(n) not in sized]
        self.values = sorted({value for _, value, _ in self.nodes})
        self.divided: dict[int, int] = {}

    def choices(self) -> Iterator[Choice]:
        """In the order in which they are tried: constructors alone first, nothing left out first."""
        alone = [frozenset({v}) for v in self.values[:MOST_LEFT_OUT] if len(self.values) > 1]
        for everywhere in (False, True):
            for left_out in (frozenset(), *alone) if self.values else ():
                yield Choice(everywhere, left_out)

    def divide(self, divisor: int, choice: Choice = Choice(True, frozenset())) -> None:
        self.divided = {}
        for node, value, constructor in self.nodes:
            node.value = value
            if divisor > 1 and value not in choice.left_out and (constructor or choice.everywhere):
                node.value = self.divided[value] = value // divisor

    @contextmanager
    def undone(self) -> Iterator[None]:
        """The program as it was given, for a while."""
        now = [node.value for node, _, _ in self.nodes]
        for node, value, _ in self.nodes:
            node.value = value
        try:
            yield
        finally:
            for (node, _, _), value in zip(self.nodes, now):
                node.value = value

    def given(self) -> dict[str, int]:
        return {f"width {value}": value for value in self.divided}

    def verified(self) -> dict[str, int]:
        return {f"width {value}": now for value, now in self.divided.items()}


def _is_width(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value >= UNIT and node.value % UNIT == 0
