"""Kernels of several parts that differ in whole numbers only become one: the numbers that differ are constexpr parameters, and each launch hands
over its own. So each launch is compiled for its numbers as before.

    a: i % 32 ... 288*m      b: i % 64 ... 576*m      ->  i % N0 ... (9*N0)*m, launched with N0=32 and N0=64

A kernel takes part when all that refers to it are launches of host code, kernel[grid](..., name=value), whose arguments can be counted.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import prod

from ka_bridge.compose_merge import edited
from ka_bridge.compose_part import Item, Part

LARGEST_OFFSET = 8  # N0 + 2 is worth writing, N0 + 100 is a number of its own
MOST_FACTORS = 3
MOST_PARAMETERS = 6  # a kernel with more is easier to read twice

Column = tuple[int, ...]  # one number of a kernel, in every member of a group
Edit = tuple[int, int, str, str]  # line, column, what stands there, what shall


@dataclass(eq=False)
class Kernel:
    part: Part
    item: Item
    numbers: list[ast.Constant]
    launches: list[ast.Call]


def with_shared_numbers(parts: list[Part]) -> dict[int, str]:
    """The new texts, by number of the part, of those that change."""
    groups: dict[bytes, list[Kernel]] = defaultdict(list)
    for part in parts:
        for kernel in kernels_of(part):
            groups[look(kernel)].append(kernel)
    edits: dict[int, list[Edit]] = defaultdict(list)
    for group in groups.values():
        for kernel, more in zip(group, group_edits(group)):
            edits[kernel.part.number] += more
    return {part.number: b"\n".join(edited(part.lines, edits[part.number])).decode() for part in parts if edits[part.number]}


def kernels_of(part: Part) -> Iterable[Kernel]:
    users: dict[Item, list[tuple[Item, ast.Name]]] = defaultdict(list)
    calls: dict[int, ast.Call] = {}
    for user in part.items:
        for name in user.free:
            if name.id in part.bindings:
                users[part.bindings[name.id]].append((user, name))
        if user.kind != "import" and not user.jit:
            calls.update({id(node.func.value): node for node in ast.walk(user.node) if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript)})
    for item in part.items:
        launches = [calls.get(id(name)) for _, name in users[item]]
        found = [launch for launch in launches if launch is not None and is_plain(launch)]
        if item.jit and item.kind == "function" and found and len(found) == len(launches) and takes_more(item.node):
            yield Kernel(part, item, numbers_of(item.node), found)


def is_plain(launch: ast.Call) -> bool:
    """Whether another keyword can be written after its last one."""
    named = [keyword for keyword in launch.keywords if keyword.arg is not None]
    ends = [(node.end_lineno, node.end_col_offset) for node in [*launch.args, *launch.keywords]]
    return bool(named) and len(named) == len(launch.keywords) and ends[-1] == max(ends) and not any(isinstance(node, ast.Starred) for node in launch.args)


def takes_more(function: ast.FunctionDef) -> bool:
    """Whether another constexpr parameter can be written after its last one. What is tuned is tuned for its own numbers."""
    args = function.args
    only_names = not (args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults)
    return only_names and len(function.decorator_list) == 1 and any(is_constexpr(arg) for arg in args.args)


def is_constexpr(arg: ast.arg) -> bool:
    return isinstance(arg.annotation, ast.Attribute) and arg.annotation.attr == "constexpr"


def numbers_of(function: ast.FunctionDef) -> list[ast.Constant]:
    return [node for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Constant) and type(node.value) is int]


def look(kernel: Kernel) -> bytes:
    """The text of the kernel without its numbers and its name: where it is equal, the trees are, but for the numbers."""
    node = kernel.item.node
    first = node.args.args[0]
    edits = [(number.lineno - first.lineno + 1, number.col_offset, str(number.value), "#") for number in kernel.numbers]
    lines = edited(kernel.part.lines[first.lineno - 1 : node.end_lineno], edits)
    return b"\n".join([ast.dump(node.decorator_list[0]).encode(), lines[0][first.col_offset :], *lines[1:]])


def group_edits(group: list[Kernel]) -> list[list[Edit]]:
    columns = [tuple(node.value for node in nodes) for nodes in zip(*(kernel.numbers for kernel in group))]
    function = group[0].item.node
    taken = {arg.arg for arg in function.args.args} | {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    names = [name for k in range(MOST_PARAMETERS + len(taken)) if (name := f"N{k}") not in taken]
    texts, basis = parameters(columns, names)
    if not basis or len(basis) > MOST_PARAMETERS:
        return [[] for _ in group]
    constexpr = ast.unparse(next(arg.annotation for arg in function.args.args if is_constexpr(arg) and arg.annotation))
    out = []
    for member, kernel in enumerate(group):
        edits = [(node.lineno, node.col_offset, str(node.value), texts[column]) for node, column in zip(kernel.numbers, columns) if column in texts]
        last = kernel.item.node.args.args[-1]
        edits.append((last.end_lineno, last.end_col_offset, "", "".join(f", {name}: {constexpr}" for name in basis)))
        handed = "".join(f", {name}={column[member]}" for name, column in basis.items())
        edits += [(launch.keywords[-1].end_lineno, launch.keywords[-1].end_col_offset, "", handed) for launch in kernel.launches]
        out.append(edits)
    return out


def parameters(columns: list[Column], names: list[str]) -> tuple[dict[Column, str], dict[str, Column]]:
    """The numbers that differ, as expressions over few parameters; and these. Small numbers come first: the others are their products."""
    texts: dict[Column, str] = {}
    basis: dict[str, Column] = {}
    for column in sorted({column: None for column in columns if len(set(column)) > 1}, key=lambda column: column[0]):
        text = near(column, basis) or multiple(column, basis)
        if not text:
            text = names[min(len(basis), len(names) - 1)]
            basis[text] = column
        texts[column] = text
    return texts, basis


def near(column: Column, basis: dict[str, Column]) -> str:
    for name, base in basis.items():
        offset = column[0] - base[0]
        if 0 < abs(offset) <= LARGEST_OFFSET and all(one + offset == number for one, number in zip(base, column)):
            return f"({name} {'-' if offset < 0 else '+'} {abs(offset)})"
    return ""


def multiple(column: Column, basis: dict[str, Column]) -> str:
    for count in range(1, MOST_FACTORS + 1):
        for chosen in combinations_with_replacement(basis, count):
            products = [prod(basis[name][i] for name in chosen) for i in range(len(column))]
            if 0 in products or column[0] % products[0]:
                continue
            factor = column[0] // products[0]
            if factor > 0 and all(factor * product == number for product, number in zip(products, column)):
                return f"({'*'.join(([] if factor == 1 else [str(factor)]) + list(chosen))})"
    return ""
