"""The child that puts the kernel files of several parts into one: it reads their texts and writes a new one, and executes none of them.

    merge   parts [{id, text, torch}], calls [{part, inputs, weights}], local names, what is returned
            -> imports and definitions as text, the function of each part, the kernels of each, the names in what is returned;
               or {"refused": sentence} that names the part and the line
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from ka_bridge import policy, policy_captured
from ka_bridge.compose_merge import Merge
from ka_bridge.compose_numbers import with_shared_numbers
from ka_bridge.compose_part import Part
from ka_bridge.compose_scope import Refused
from ka_bridge.conn import Conn, error_answer, one_line

PACKED = (ast.Expression, ast.Tuple, ast.List, ast.Dict, ast.Name, ast.Load, ast.Constant)  # what forward may return: tensors, packed


class Declined(Exception):
    """The whole sentence for the user."""


def merge(request: dict[str, Any]) -> dict[str, Any]:
    parts = [read_part(number, given) for number, given in enumerate(request["parts"])]
    for number, text in with_shared_numbers(parts).items():
        parts[number] = read_part(number, {**request["parts"][number], "text": text})
    by_name = {part.name: part for part in parts}
    taken = {call["part"]: check_call(number, call, by_name[call["part"]]) for number, call in enumerate(request["calls"], 1)}
    names = returned_names(request["returns"])
    merged = Merge(parts, request["local"])
    for given, part in zip(request["parts"], parts):
        if not given["torch"] and not merged.kernels(part.items):
            raise Declined(f'part "{part.name}" launches no Triton kernel')
    return {
        "ok": True,
        "imports": merged.imports(),
        "definitions": merged.definitions(),
        "functions": merged.functions(),
        "kernels": merged.kernels(),
        "about": {part.name: about(merged, part) for part in parts},
        "names": names,
        "weights": taken,
        "launches": sum(launches_of(by_name[call["part"]]) for call in request["calls"]),
        "uncaptured": policy_captured.why_not(merged.imports() + merged.definitions()),
    }


def launches_of(part: Part) -> int:
    """Launches in the text of its host code; one in a loop counts once."""
    host = [item.node for item in part.items if item.kind == "function" and not item.jit]
    return sum(isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript) for top in host for node in ast.walk(top))


def read_part(number: int, given: dict[str, Any]) -> Part:
    try:
        return Part(number, given["id"], given["text"])
    except Refused as problem:
        raise Declined(f'part "{given["id"]}", line {problem.line}: {one_line(str(problem), 300)}') from None
    except (RecursionError, MemoryError):
        raise Declined(f'part "{given["id"]}": its text is nested too deeply') from None


def about(merged: Merge, part: Part) -> list[list[str]]:
    """[kernel, what it does] of a part, where its file says so."""
    said = part.about()
    found = []
    for item in part.items:
        for name in merged.kernels([item]):
            found.append([name, one_line(said.get(item.names[0], ""), 200)])
    return found


def check_call(number: int, call: dict[str, Any], part: Part) -> list[str]:
    """Whether the part's function can be called so, and the weights that it takes: those that its signature names."""
    args: ast.arguments = part.entry.node.args
    given, weights = call["inputs"], call["weights"]
    positional = [arg.arg for arg in [*args.posonlyargs, *args.args]]
    optional = {name for name in positional[len(positional) - len(args.defaults) :] if args.defaults}
    optional |= {arg.arg for arg, default in zip(args.kwonlyargs, args.kw_defaults) if default is not None}
    where = f'call {number}, of part "{part.name}"'
    if given > len(positional) and args.vararg is None:
        raise Declined(f"{where}: its kernel_function takes {len(positional)} inputs, not {given}")
    left = positional[given:]
    by_keyword = {*left, *(arg.arg for arg in args.kwonlyargs)} - {arg.arg for arg in args.posonlyargs}
    for name in weights:
        if name in positional[:given]:
            raise Declined(f"{where}: its kernel_function takes no weight {name}")
    for name in [*left, *(arg.arg for arg in args.kwonlyargs)]:
        if name not in weights and name not in optional:
            raise Declined(f"{where}: its kernel_function needs {name}, which is not given")
    return [name for name in weights if name in by_keyword or args.kwarg is not None]


def returned_names(text: str) -> list[str]:
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Declined(f"what the program returns is no Python expression: {one_line(text, 100)}") from None
    for node in ast.walk(tree):
        if not isinstance(node, PACKED) or "\n" in text:
            raise Declined(f"what the program returns is more than values in tuples, lists and dictionaries: {one_line(text, 100)}")
    return list(dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    sys.setrecursionlimit(max(sys.getrecursionlimit(), policy.RECURSION_LIMIT))
    if request.get("cmd") != "merge":
        return error_answer("protocol", None, message=f"unexpected request {request.get('cmd')!r}")
    try:
        return merge(request)
    except Declined as problem:
        return {"ok": True, "refused": str(problem)}
    except (RecursionError, MemoryError):  # what could be parsed, but not written again
        return {"ok": True, "refused": "the text of a part is nested too deeply"}
    except Exception as problem:
        return error_answer("internal", problem)


def main(conn: Conn) -> None:
    while (packet := conn.recv()) is not None:
        conn.send(answer(packet[0]))
