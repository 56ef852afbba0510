"""The part of a problem file that builds its module: the class without what it computes, and the definitions it needs.

A file that is to hold the same parameters under the same names, and draw the same initial values from the same seed, needs the
constructor as it was written. Methods that the constructor does not call, and definitions that it does not name, are left out:
they compute. Nothing is executed.
"""

from __future__ import annotations

import ast
from typing import Any

KEPT_METHODS = frozenset({"__init__", "reset_parameters"})


class NoConstructor(Exception):
    """The problem is no class that can be constructed again."""


def parts(text: str, target: str, new_name: str) -> dict[str, Any]:
    """`imports` (lines), `definitions` (what the class needs), `class` (its text, without forward), under a new name."""
    tree = ast.parse(text)
    found = [s for s in tree.body if isinstance(s, ast.ClassDef) and s.name == target]
    if not found:
        raise NoConstructor(f"{target} is no class of the file")
    definition = _built(found[-1])
    needed = _closure(tree, definition, target)
    imports, definitions = [], []
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name == target:
            continue
        bound = _bound(statement)
        if not bound & needed:
            continue
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            statement.names = [a for a in statement.names if (a.asname or a.name.split(".")[0]) in needed]
            imports.append(ast.unparse(statement))
        else:
            definitions.append(ast.unparse(_built(statement) if isinstance(statement, ast.ClassDef) else statement))
    return {"imports": imports, "definitions": [_Rename(target, new_name).apply(d) for d in definitions],
            "class": _Rename(target, new_name).apply(ast.unparse(definition)), "makers": _makers(tree, needed)}


def _makers(tree: ast.Module, known: set[str]) -> list[str]:
    """get_inputs and get_init_inputs, with what they need beyond what is there already."""
    makers = [s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name in ("get_inputs", "get_init_inputs")]
    needed = set().union(*(_closure(tree, maker, "") for maker in makers)) - known
    more = [s for s in tree.body if _bound(s) & needed and s not in makers and not _bound(s) <= {"torch", "nn"}]
    return ["\n".join(ast.unparse(s) for s in more)] * bool(more) + [ast.unparse(s) for s in makers]


def _built(definition: ast.ClassDef) -> ast.ClassDef:
    """The class with the methods that building it runs; its docstring and its own constants stay."""
    methods = {s.name: s for s in definition.body if isinstance(s, ast.FunctionDef)}
    wanted, waiting = set(), [name for name in KEPT_METHODS if name in methods]
    while waiting:
        name = waiting.pop()
        if name in wanted:
            continue
        wanted.add(name)
        waiting += [n.attr for n in ast.walk(methods[name]) if isinstance(n, ast.Attribute) and n.attr in methods and n.attr != "forward"]
    body = [s for s in definition.body if not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)) or s.name in wanted]
    return ast.ClassDef(name=definition.name, bases=definition.bases, keywords=definition.keywords, body=body or [ast.Pass()],
                        decorator_list=definition.decorator_list, **({"type_params": []} if hasattr(definition, "type_params") else {}))


def _closure(tree: ast.Module, definition: ast.stmt, target: str) -> set[str]:
    """Names that the class uses, and those that their definitions use."""
    uses: dict[str, set[str]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            uses[statement.name] = _used(_built(statement))
        else:
            for name in _bound(statement):
                uses.setdefault(name, set()).update(_used(statement))
    needed: set[str] = set()
    waiting = list(_used(definition))
    while waiting:
        name = waiting.pop()
        if name in uses and name not in needed and name != target:
            needed.add(name)
            waiting += uses[name]
    return needed


def _used(node: ast.AST) -> set[str]:
    """Names that are not arguments of the function in which they stand."""
    inner = set().union(*(_used(child) for child in ast.iter_child_nodes(node)), {node.id} if isinstance(node, ast.Name) else ())
    if isinstance(node, ast.FunctionDef):
        outside = set().union(*(_used(part) for part in (*node.args.defaults, *node.args.kw_defaults, *node.decorator_list) if part is not None))
        taken = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        return (inner - taken) | outside
    return inner


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {a.asname or a.name.split(".")[0] for a in statement.names}
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return set()


class _Rename(ast.NodeTransformer):
    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def apply(self, text: str) -> str:
        return ast.unparse(self.visit(ast.parse(text)))

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(id=self.new, ctx=node.ctx), node) if node.id == self.old else node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.generic_visit(node)
        node.name = self.new if node.name == self.old else node.name
        return node
