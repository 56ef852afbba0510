"""First pass of the source policy: which name is bound where, and to what.

Scan walks the tree once and records, per scope, every binding of every name: imports, definitions, assignments, parameters,
loop targets, `with`, `except`, patterns, walrus. Nothing is decided here; policy_names.py resolves, policy.py judges.
"""

from __future__ import annotations

import ast
from typing import Any

from ka_bridge.policy_lists import FUNCTION_METHODS
from ka_bridge.policy_scope import PARTS, VALUE, Binding, ClassInfo, FuncInfo, Scope, main_block, parameters

LEAVES = (ast.Name, ast.Constant, type(None), str)  # bind nothing and contain nothing
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ADDERS = frozenset("append extend insert appendleft setdefault update".split())
REGISTRARS = frozenset("register_buffer register_parameter add_module".split())
# Copies of the problem's input makers: never called by the judge, so their bodies are no part of the module.
UNUSED_FUNCTIONS = frozenset({"get_inputs", "get_init_inputs"})


def bound_at_once(statement: ast.stmt) -> set[str]:
    """The names that an import or a plain assignment binds whenever it is executed."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.split(".")[0] for alias in statement.names}
    if isinstance(statement, ast.Assign):
        return {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return set()


class Scan:
    """Scan(tree) fills: module (the global scope), scopes (node -> its scope), functions, classes, field_names, calls."""

    def __init__(self, tree: ast.Module):
        self.module = Scope("module", None)
        self.main_block = main_block(tree)
        self.scopes: dict[ast.AST, Scope] = {tree: self.module}
        self.functions: dict[ast.AST, FuncInfo] = {}
        self.classes: dict[ast.AST, ClassInfo] = {}
        self.field_names: set[str] = set()
        self.calls: list[tuple[ast.Call, Scope]] = []  # f(name): may be triton.jit(name)
        self.dunders: list[tuple[str, int, Scope]] = []  # names with two underscores that are bound somewhere
        self.deferred: list[tuple[str, Binding, Scope]] = []
        self.skipped: set[str] = set()  # of UNUSED_FUNCTIONS, those that are there
        self.line = 1
        self.table = {kind: getattr(self, "see_" + kind) for kind in (
            "FunctionDef ClassDef Lambda Import ImportFrom Assign AnnAssign AugAssign NamedExpr For Global Nonlocal ExceptHandler "
            "MatchAs MatchStar MatchMapping Call Return With Delete".split())}
        self.deleted: set[str] = set()
        self.early: set[str] = set()  # globals that are bound before the file can hold a kernel
        for statement in tree.body:
            self.see(statement, self.module)
            if not self.functions and not self.classes:
                self.early.update(bound_at_once(statement))
        for name, binding, scope in self.deferred:
            self.bind_nonlocal(name, binding, scope)

    def see(self, node: ast.AST, scope: Scope) -> None:
        special = self.table.get(type(node).__name__)
        if special is not None:
            self.line = getattr(node, "lineno", self.line)
            special(node, scope)
        elif isinstance(node, COMPREHENSIONS):
            self.see_comprehension(node, scope)
        elif node is not self.main_block:
            self.see_children(node, scope)

    def see_all(self, nodes: Any, scope: Scope) -> None:
        for node in nodes:
            if node is not None:
                self.see(node, scope)

    def see_children(self, node: ast.AST, scope: Scope) -> None:
        for field in PARTS[node.__class__]:
            child = getattr(node, field, None)
            if child.__class__ is list:
                for item in child:
                    if item.__class__ not in LEAVES:
                        self.see(item, scope)
            elif child.__class__ not in LEAVES:
                self.see(child, scope)

    def bind(self, name: str, binding: Binding, scope: Scope) -> None:
        while scope.kind == "comprehension":
            scope = scope.parent  # type: ignore[assignment]  # a walrus binds in the enclosing function
        if name.startswith("__"):
            self.dunders.append((name, self.line, scope))
        declared = scope.outer.get(name)
        if declared == "nonlocal":
            self.deferred.append((name, binding, scope))
            return
        place = self.module if declared == "global" else scope
        place.names.setdefault(name, []).append(binding)

    def bind_nonlocal(self, name: str, binding: Binding, scope: Scope) -> None:
        """Once all scopes are known: the nearest enclosing function that binds the name."""
        outer = scope.parent
        while outer is not None and (outer.kind != "function" or name not in outer.names):
            outer = outer.parent
        (outer or scope).names.setdefault(name, []).append(binding)

    def bind_target(self, target: ast.AST, value: ast.expr | None, scope: Scope, element: bool = False) -> None:
        if isinstance(target, ast.Name):
            binding = VALUE if value is None else ("elem" if element else "expr", value, scope)
            self.bind(target.id, binding, scope)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts: list[Any] = [value] * len(target.elts)
            exact = (isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
                     and not any(isinstance(e, ast.Starred) for e in [*value.elts, *target.elts]))
            if exact and not element:
                parts = value.elts  # type: ignore[union-attr]
            elif element and isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
                if value.func.id == "zip" and len(value.args) == len(target.elts):
                    parts = list(value.args)
                elif value.func.id == "enumerate" and len(target.elts) == 2:
                    parts = [None, value]
            for part, source in zip(target.elts, parts):
                self.bind_target(part, source, scope, element=element or not exact)
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value, value, scope, element=True)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            self.bind_field(target.value.id, target.attr, value, scope, element)
        if not isinstance(target, ast.Name):
            self.see_children(target, scope)

    def bind_field(self, base: str, attr: str, value: ast.expr | None, scope: Scope, element: bool = False) -> None:
        """self.X = ... in a method; a closure inside the method counts too."""
        place: Scope | None = scope
        while place is not None and base not in place.names:
            place = place.parent
        for kind, cls, _ in place.names[base] if place is not None else ():
            if kind == "self":
                binding = VALUE if value is None else ("elem" if element else "expr", value, scope)
                cls.fields.setdefault(attr, []).append(binding)
                self.field_names.add(attr)

    def see_FunctionDef(self, node: ast.FunctionDef, scope: Scope) -> None:
        if scope.kind == "module" and node.name in UNUSED_FUNCTIONS and not node.decorator_list:
            self.skipped.add(node.name)
            self.see_signature(node.args, scope)
            return
        cls = scope.cls if scope.kind == "class" else None
        info = FuncInfo(node.name, node, scope, cls)
        self.functions[node] = info
        self.scopes[node] = info.scope
        self.bind(node.name, ("func", info, None), scope)
        self.see_all(node.decorator_list, scope)
        self.see_signature(node.args, scope)
        if node.returns is not None:
            self.see(node.returns, scope)
        self.bind_parameters(node.args, info.scope)
        if cls is not None:
            cls.methods[node.name] = info
            self.field_names.add(node.name)
            names = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
            info.static = "staticmethod" in names
            if node.args.posonlyargs or node.args.args:
                first = (node.args.posonlyargs + node.args.args)[0].arg
                kind = "self" if not info.static else "ctx" if node.name in FUNCTION_METHODS else "value"
                info.scope.names[first] = [(kind, cls, None)]
        self.see_all(node.body, info.scope)

    def see_signature(self, args: ast.arguments, scope: Scope) -> None:
        self.see_all([*args.defaults, *args.kw_defaults, *(a.annotation for a in parameters(args))], scope)

    def bind_parameters(self, args: ast.arguments, scope: Scope) -> None:
        for arg in parameters(args):
            scope.names[arg.arg] = [VALUE]

    def see_Lambda(self, node: ast.Lambda, scope: Scope) -> None:
        info = FuncInfo("lambda", node, scope, None)
        self.functions[node] = info
        self.scopes[node] = info.scope
        self.see_signature(node.args, scope)
        self.bind_parameters(node.args, info.scope)
        info.returns.append(node.body)
        self.see(node.body, info.scope)

    def see_ClassDef(self, node: ast.ClassDef, scope: Scope) -> None:
        info = ClassInfo(node.name, node, scope)
        self.classes[node] = info
        self.scopes[node] = info.scope
        self.bind(node.name, ("class", info, None), scope)
        self.see_all([*node.decorator_list, *node.bases, *node.keywords], scope)
        self.see_all(node.body, info.scope)
        self.field_names.update(info.fields)

    def see_comprehension(self, node: Any, scope: Scope) -> None:
        inner = Scope("comprehension", scope)
        self.scopes[node] = inner
        for part in node.generators:
            outside = scope if part is node.generators[0] else inner  # the first iterable does not see the targets
            for name in ast.walk(part.target):
                if isinstance(name, ast.Name):
                    inner.names.setdefault(name.id, []).append(("elem", part.iter, outside))
                elif isinstance(name, ast.Attribute):
                    self.see_children(name, inner)
            self.see(part.iter, outside)
            self.see_all(part.ifs, inner)
        self.see_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt], inner)

    def see_Import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            path = alias.name if alias.asname else alias.name.split(".")[0]
            self.bind(alias.asname or path, ("path", path, None), scope)

    def see_ImportFrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            self.bind(alias.asname or alias.name, ("path", f"{node.module or ''}.{alias.name}", None), scope)

    def see_Assign(self, node: ast.Assign, scope: Scope) -> None:
        self.see(node.value, scope)
        for target in node.targets:
            self.bind_target(target, node.value, scope)

    def see_AnnAssign(self, node: ast.AnnAssign, scope: Scope) -> None:
        self.see(node.annotation, scope)
        if node.value is not None:
            self.see(node.value, scope)
        if node.value is not None or not isinstance(node.target, ast.Name) or scope.kind == "class":
            self.bind_target(node.target, node.value, scope)

    def see_AugAssign(self, node: ast.AugAssign, scope: Scope) -> None:
        self.see(node.value, scope)
        self.bind_target(node.target, node.value, scope, element=True)

    def see_NamedExpr(self, node: ast.NamedExpr, scope: Scope) -> None:
        self.see(node.value, scope)
        self.bind_target(node.target, node.value, scope)

    def see_For(self, node: ast.For, scope: Scope) -> None:
        self.see(node.iter, scope)
        self.bind_target(node.target, node.iter, scope, element=True)
        self.see_all([*node.body, *node.orelse], scope)

    def see_With(self, node: ast.With, scope: Scope) -> None:
        for item in node.items:
            self.see(item.context_expr, scope)
            if item.optional_vars is not None:
                self.bind_target(item.optional_vars, None, scope)
        self.see_all(node.body, scope)

    def see_Global(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        for name in node.names:
            scope.outer[name] = type(node).__name__.lower()

    def see_ExceptHandler(self, node: Any, scope: Scope) -> None:
        """Also the patterns of a match statement: they capture under `name` or `rest`."""
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            self.bind(name, VALUE, scope)
            self.deleted.add(name)  # an exception's name is deleted after its block
        self.see_children(node, scope)

    def see_Delete(self, node: ast.Delete, scope: Scope) -> None:
        names = [target.id for target in ast.walk(node) if isinstance(target, ast.Name)]
        self.deleted.update(names)
        self.dunders += [(name, node.lineno, scope) for name in names if name.startswith("__")]
        self.see_children(node, scope)

    see_Nonlocal = see_Global
    see_MatchAs = see_MatchStar = see_MatchMapping = see_ExceptHandler

    def see_Return(self, node: ast.Return, scope: Scope) -> None:
        if node.value is not None:
            if scope.func is not None:
                scope.func.returns.append(node.value)
            self.see(node.value, scope)

    def see_Call(self, node: ast.Call, scope: Scope) -> None:
        if node.args and isinstance(node.args[0], ast.Name):
            self.calls.append((node, scope))
        func = node.func
        if "namedtuple" in (getattr(func, "id", ""), getattr(func, "attr", "")) and len(node.args) > 1:
            for part in ast.walk(node.args[1]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    self.field_names.update(part.value.replace(",", " ").split())
        elif isinstance(func, ast.Attribute):
            self.see_method_call(node, func, scope)
        self.see_children(node, scope)

    def see_method_call(self, node: ast.Call, func: ast.Attribute, scope: Scope) -> None:
        if func.attr in ADDERS and isinstance(func.value, ast.Name):
            place: Scope | None = scope
            while place is not None and func.value.id not in place.names:
                place = place.parent
            for arg in node.args if place is not None else ():
                place.names[func.value.id].append(("elem", arg, scope))  # type: ignore[union-attr]
        elif func.attr in ADDERS and isinstance(func.value, ast.Attribute) and isinstance(func.value.value, ast.Name):
            for arg in node.args:
                self.bind_field(func.value.value.id, func.value.attr, arg, scope, element=True)
        elif func.attr in REGISTRARS and isinstance(func.value, ast.Name) and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self.bind_field(func.value.id, name.value, node.args[1] if len(node.args) > 1 else None, scope)
