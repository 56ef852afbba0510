"""The records of the source policy: scopes, own functions, own classes."""

from __future__ import annotations

import ast
from typing import Any

# A binding is (kind, what, scope in which `what` is to be read).
#   path   a dotted name from an import          expr   the value of an expression
#   elem   something an expression contains      func   an own function         class  an own class
#   self   an instance of the own class          ctx    the context of an autograd function
#   value  something unknown
Binding = tuple[str, Any, "Scope | None"]
VALUE: Binding = ("value", None, None)

# Fields of a node that hold nodes or lists of nodes: all but names, literals, operators and contexts.
NOT_PARTS = frozenset("ctx op ops id attr arg asname module level name rest names kind type_comment kwd_attrs conversion simple is_async".split())


class Parts(dict):
    def __missing__(self, kind: type) -> tuple[str, ...]:
        skip = NOT_PARTS | {"value"} if kind in (ast.Constant, ast.MatchSingleton) else NOT_PARTS
        self[kind] = tuple(field for field in kind._fields if field not in skip)
        return self[kind]


PARTS = Parts()


class Scope:
    __slots__ = ("kind", "parent", "names", "outer", "cls", "func")

    def __init__(self, kind: str, parent: Scope | None, cls: ClassInfo | None = None, func: FuncInfo | None = None):
        self.kind = kind  # module, function, class, comprehension
        self.parent = parent
        self.names: dict[str, list[Binding]] = {}
        self.outer: dict[str, str] = {}  # name -> "global" or "nonlocal"
        self.cls = cls
        self.func = func


class FuncInfo:
    __slots__ = ("name", "node", "scope", "parent", "cls", "static", "jit", "constexpr", "tuned", "returns")

    def __init__(self, name: str, node: Any, parent: Scope, cls: ClassInfo | None):
        self.name = name
        self.node = node
        self.parent = parent
        self.scope = Scope("function", parent, func=self)
        self.cls = cls
        self.static = False
        self.jit = False
        self.constexpr = False
        self.tuned = False
        self.returns: list[ast.expr] = []


class ClassInfo:
    __slots__ = ("name", "node", "scope", "parent", "fields", "methods", "bases", "roots")

    def __init__(self, name: str, node: ast.ClassDef, parent: Scope):
        self.name = name
        self.node = node
        self.parent = parent
        self.scope = Scope("class", parent, cls=self)
        self.fields = self.scope.names  # class attributes and everything assigned to self.X
        self.methods: dict[str, FuncInfo] = {}
        self.bases: list[ClassInfo] = []  # own classes; filled by policy_names
        self.roots: set[str] = set()  # paths of foreign bases; filled by policy_names


def is_main_guard(node: ast.stmt) -> bool:
    """Exactly `if __name__ == "__main__":`; the judge never runs a file under that name."""
    return (isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and isinstance(node.test.left, ast.Name)
            and node.test.left.id == "__name__" and len(node.test.ops) == 1 and isinstance(node.test.ops[0], ast.Eq)
            and isinstance(node.test.comparators[0], ast.Constant) and node.test.comparators[0].value == "__main__")


def main_block(tree: ast.Module) -> ast.stmt | None:
    """The test of itself with which a file may end. Anywhere else, or with an `else`, such a statement is read like any other,
    and refused because it uses __name__."""
    last = tree.body[-1] if tree.body else None
    return last if last is not None and is_main_guard(last) and not last.orelse else None  # type: ignore[attr-defined]


def parameters(args: ast.arguments) -> list[ast.arg]:
    found = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return found + [arg for arg in (args.vararg, args.kwarg) if arg is not None]
