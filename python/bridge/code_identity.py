"""The child that says what a kernel file does besides the code of its kernels: two files with the same answer, whose kernels compile to the same code, do the same.

The answer of profile_launches.py with a text for each launch in its order (kernel, grid, arguments at run time; constants and options are in the code), and a
text of the host code in which all whole numbers are alike: what they do is seen in the launches. `host` and `order` are null where something is not known: more
launches than are kept, or tuned kernels, of which one configuration is seen.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from ka_bridge import module_loader, profile_launches
from ka_bridge.conn import Conn, read_all


class _Host(ast.NodeTransformer):
    """Without the bodies of kernels, doc strings and the values of whole numbers."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if any("jit" in ast.dump(decorator) for decorator in node.decorator_list):
            node.body, node.args = [ast.Pass()], ast.arguments([], [], None, [], [], None, [])
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant(0) if type(node.value) is int else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return ast.Pass()
        self.generic_visit(node)
        return node


def host_of(text: bytes) -> str:
    return ast.dump(_Host().visit(ast.parse(text)))


def order_of(found: dict[str, Any]) -> list[str] | None:
    """A line per launch. An argument that is a constant in every launch of its kernel is part of the code."""
    if found["sequence"] is None or any(launch["config"] is not None for launch in found["launches"]):
        return None
    constant: dict[str, set[str]] = {}
    for launch in found["launches"]:
        names = {name for name, kind in launch["signature"].items() if kind == "constexpr"}
        constant[launch["kernel"]] = constant.get(launch["kernel"], names) & names
    signatures = {launch["kernel"]: launch["signature"] for launch in found["launches"]}
    lines = []
    for kernel, grid, arguments in found["sequence"]:
        if kernel not in signatures:  # one more than are kept
            return None
        values = [argument for argument in arguments if argument[0] in signatures[kernel] and argument[0] not in constant[kernel]]
        lines.append(json.dumps([kernel, grid, values]))
    return lines


def answer_to(request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    text = read_all(fds[1], module_loader.SOURCE_LIMIT)
    found = profile_launches.answer_to({**request, "sequence": True}, fds)
    if found["ok"]:
        order = None if found["foreign"] else order_of(found)
        found |= {"order": order, "host": host_of(text) if order is not None else None, "sequence": None}
    return found


def main(conn: Conn) -> None:
    packet = conn.recv()
    if packet is not None:
        conn.send(answer_to(*packet))
        conn.recv()
    module_loader.remove_scratch()
