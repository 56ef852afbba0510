"""Which names of one top-level statement are globals of its file: scopes as Python has them, read from the tree alone.

The tree is walked once: every scope collects what is bound in it, every name is noted with the scope that it stands in. Then each name is
looked up from the inside out, as Python does: a class body is seen by its own statements only, a comprehension is a scope of its own whose
first iterable belongs to the scope around it, `:=` binds outside comprehensions. A name that no inner scope binds is a global; what is
declared nonlocal is bound by a function further out, and never one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Refused(Exception):
    """A text that cannot be composed: (sentence, line)."""

    def __init__(self, sentence: str, line: int) -> None:
        super().__init__(sentence)
        self.line = line


class Scope:
    __slots__ = ("kind", "parent", "bound")

    def __init__(self, kind: str, parent: Scope | None) -> None:
        self.kind = kind  # module, function, class, comprehension
        self.parent = parent
        self.bound: set[str] = set()


class Names:
    """Names(statement): `free`, its names that are globals, in the order of the text; `bound`, the globals that it binds; `inner`, all names that are bound inside."""

    def __init__(self, statement: ast.stmt) -> None:
        self.module = Scope("module", None)
        self.scopes: list[Scope] = []
        self.seen: list[tuple[ast.Name, Scope]] = []
        self.visit(statement, self.module)
        self.free = [node for node, scope in self.seen if self.is_global(node, scope)]
        self.bound = self.module.bound
        self.inner: set[str] = set().union(*(scope.bound for scope in self.scopes))

    def is_global(self, node: ast.Name, scope: Scope) -> bool:
        place: Scope | None = scope
        while place is not None and place.kind != "module":
            if node.id in place.bound and (place.kind != "class" or place is scope):
                return False
            place = place.parent
        return True

    def in_class_bodies(self) -> list[ast.Name]:
        """Names that a class body reads and also binds: which of class and file is meant depends on the moment."""
        return [node for node, scope in self.seen if scope.kind == "class" and isinstance(node.ctx, ast.Load) and node.id in scope.bound]

    def bind(self, name: str | None, scope: Scope) -> None:
        if name is not None:
            scope.bound.add(name)

    def inside(self, kind: str, scope: Scope) -> Scope:
        self.scopes.append(Scope(kind, scope))
        return self.scopes[-1]

    def visit_all(self, nodes: Iterable[ast.AST | None], scope: Scope) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node, scope)

    def visit(self, node: ast.AST, scope: Scope) -> None:
        if getattr(node, "type_params", None) or type(node).__name__ == "TypeAlias":
            raise Refused("type parameters and type statements are not composed", node.lineno)  # type: ignore[attr-defined]
        if isinstance(node, ast.Name):
            self.see_name(node, scope)
        elif isinstance(node, (*FUNCTIONS, ast.Lambda)):
            self.see_function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self.bind(node.name, scope)
            self.visit_all([*node.decorator_list, *node.bases, *node.keywords], scope)
            self.visit_all(node.body, self.inside("class", scope))
        elif isinstance(node, COMPREHENSIONS):
            self.see_comprehension(node, scope)
        elif isinstance(node, ast.NamedExpr):
            place = scope
            while place.kind == "comprehension" and place.parent is not None:
                place = place.parent
            self.bind(node.target.id, place)
            self.visit_all([node.target, node.value], scope)
        else:
            self.see_other(node, scope)
            self.visit_all(ast.iter_child_nodes(node), scope)

    def see_name(self, node: ast.Name, scope: Scope) -> None:
        self.seen.append((node, scope))
        if not isinstance(node.ctx, ast.Load) and not (scope.kind == "comprehension" and node.id not in scope.bound):
            self.bind(node.id, scope)

    def see_function(self, node: Any, scope: Scope) -> None:
        args: ast.arguments = node.args
        parameters = [*args.posonlyargs, *args.args, *args.kwonlyargs, *(arg for arg in (args.vararg, args.kwarg) if arg)]
        self.visit_all([*args.defaults, *args.kw_defaults, *(arg.annotation for arg in parameters)], scope)
        if not isinstance(node, ast.Lambda):
            self.bind(node.name, scope)
            self.visit_all([*node.decorator_list, node.returns], scope)
        inner = self.inside("function", scope)
        inner.bound.update(arg.arg for arg in parameters)
        self.visit_all([node.body] if isinstance(node, ast.Lambda) else node.body, inner)

    def see_comprehension(self, node: Any, scope: Scope) -> None:
        self.visit(node.generators[0].iter, scope)
        inner = self.inside("comprehension", scope)
        for generator in node.generators:
            inner.bound.update(part.id for part in ast.walk(generator.target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
        for number, generator in enumerate(node.generators):
            self.visit_all([generator.target, *([generator.iter] if number else []), *generator.ifs], inner)
        self.visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt], inner)

    def see_other(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Global):
            raise Refused(f"`global {', '.join(node.names)}`: what a part keeps between calls is not composed", node.lineno)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                self.bind(alias.asname or alias.name.split(".")[0], scope)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            self.bind(node.name, scope)
        elif isinstance(node, ast.MatchMapping):
            self.bind(node.rest, scope)
