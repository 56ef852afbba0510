"""One part of a composition: the top-level statements of its kernel file that kernel_function needs, with what each of them refers to.

Only what can be renamed with certainty is taken: imports, functions, classes, and plain assignments to names. Everything else at the top
of a file does something when the file is imported, and is refused; so is what looks names up while it runs.
"""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass, field
from typing import Any

from ka_bridge import policy
from ka_bridge.compose_scope import FUNCTIONS, Names, Refused
from ka_bridge.policy_scope import main_block

ENTRY = "kernel_function"
BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
LOOKUPS = frozenset("getattr setattr delattr globals locals vars eval exec compile".split())  # find names that no renaming sees
LOOKUP_MODULES = frozenset("builtins gc importlib inspect sys".split())
KERNEL_LINE = re.compile(r"\s*\d+\.\s+(\w+)(?: \([^()]*\))?:\s+(\S.*)")  # of a generated file's first text: 1. softmax_kernel: softmax over ...


@dataclass(eq=False)
class Item:
    """One top-level statement, or one name of an import."""

    part: int
    kind: str  # function, class, value, import
    names: tuple[str, ...]  # that it binds
    node: Any
    path: str = ""  # of an import: torch, triton.language, typing:Optional
    plain: set[str] = field(default_factory=set)  # of `import torch.nn`, which binds torch: all such modules
    free: list[ast.Name] = field(default_factory=list)
    inner: set[str] = field(default_factory=set)
    jit: bool = False
    after: int = 0  # the line in which the statement before it ends


class Part:
    """Part(number, id, text): `items`, those that kernel_function needs, in the order of the file. Raises Refused."""

    def __init__(self, number: int, name: str, text: str) -> None:
        self.number = number
        self.name = name
        try:
            self.tree, lines = policy.parse(text, ENTRY)
            compile(self.tree, "part.py", "exec", dont_inherit=True)  # what only the compiler sees: `return` outside of functions
        except policy.Unreadable as problem:
            raise Refused(str(problem), problem.line) from None
        except SyntaxError as problem:
            raise Refused(str(problem.msg), problem.lineno or 1) from None
        self.lines = [line.rstrip("\r").encode() for line in lines]
        self.annotations = False  # whether `from __future__ import annotations` holds
        self.bindings: dict[str, Item] = {}
        self.items: list[Item] = []
        self.end = 0
        for statement in self.tree.body:
            self.read(statement)
            self.end = statement.end_lineno or 0
        if ENTRY not in self.bindings or self.bindings[ENTRY].kind != "function":
            raise Refused(f"there is no function {ENTRY}", 1)
        self.entry = self.bindings[ENTRY]
        self.keep_what_is_used()

    def read(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            self.read_import(statement)
        elif isinstance(statement, FUNCTIONS):
            self.add(statement, "function", (statement.name,))
        elif isinstance(statement, ast.ClassDef):
            self.add(statement, "class", (statement.name,))
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            self.read_value(statement)
        elif not (isinstance(statement, ast.Pass) or is_text(statement) or statement is main_block(self.tree)):
            kind = re.sub(r"(?<!^)(?=[A-Z])", " ", type(statement).__name__).lower()
            raise Refused(f"a statement that acts when the file is imported ({'expression' if kind == 'expr' else kind})", statement.lineno)

    def read_value(self, statement: ast.Assign | ast.AnnAssign) -> None:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        flat = [part for target in targets for part in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])]
        if not all(isinstance(target, ast.Name) for target in flat):
            raise Refused("an assignment to something that is no name, when the file is imported", statement.lineno)
        self.add(statement, "value", tuple(target.id for target in flat))  # type: ignore[attr-defined]

    def read_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*" or isinstance(node, ast.ImportFrom) and node.level:
                raise Refused("a star import" if alias.name == "*" else "a relative import", node.lineno)
            name = alias.asname or alias.name.split(".")[0]
            if isinstance(node, ast.Import):
                item = Item(self.number, "import", (name,), node, alias.name if alias.asname else name)
                item.plain = set() if alias.asname else {alias.name}
            elif node.module == "__future__":
                if alias.name != "annotations":
                    raise Refused(f"`from __future__ import {alias.name}`", node.lineno)
                self.annotations = True
                continue
            else:
                item = Item(self.number, "import", (name,), node, f"{node.module}:{alias.name}")
            known = self.bindings.get(name)
            if known is None:
                self.bind(name, item)
            elif known.path == item.path and bool(known.plain) == bool(item.plain):
                known.plain |= item.plain
            else:
                self.twice(name, node.lineno)

    def add(self, statement: ast.stmt, kind: str, names: tuple[str, ...]) -> None:
        item = Item(self.number, kind, names, statement, after=self.end)
        for name in names:
            self.bind(name, item)

    def bind(self, name: str, item: Item) -> None:
        if name.startswith("__"):
            raise Refused(f"the name {name} is bound", item.node.lineno)
        if name in self.bindings:
            self.twice(name, item.node.lineno)
        self.bindings[name] = item
        if not self.items or self.items[-1] is not item:
            self.items.append(item)

    def twice(self, name: str, line: int) -> None:
        raise Refused(f"{name} is bound a second time, after line {self.bindings[name].node.lineno}", line)

    def keep_what_is_used(self) -> None:
        kept: set[int] = set()
        todo = [self.entry]
        while todo:
            item = todo.pop()
            if id(item) in kept:
                continue
            kept.add(id(item))
            if item.kind == "import":
                self.check_import(item)
                continue
            self.resolve(item)
            todo += [self.bindings[node.id] for node in item.free if node.id in self.bindings]
        self.items = [item for item in self.items if id(item) in kept]
        for item in self.items:
            item.jit = self.is_kernel(item)

    def check_import(self, item: Item) -> None:
        for path in item.plain or {item.path}:
            if re.split("[.:]", path)[0] in LOOKUP_MODULES:
                raise Refused(f"the module {path.replace(':', '.')} finds names while the file runs", item.node.lineno)

    def resolve(self, item: Item) -> None:
        names = Names(item.node)
        item.free, item.inner = names.free, names.inner
        for name in sorted(names.bound - set(item.names)):
            raise Refused(f"{name} is bound inside an expression", item.node.lineno)
        for node in names.in_class_bodies():
            if node.id in self.bindings:
                raise Refused(f"{node.id} means the class's or the file's, depending on the moment", node.lineno)
        for name in sorted(item.inner):
            if name.startswith("__") and not name.endswith("__") or name == "__name__":
                raise Refused(f"the name {name} is bound", item.node.lineno)
        for node in item.free:
            self.check_free(node)

    def check_free(self, node: ast.Name) -> None:
        if node.id in self.bindings or node.id in ("__name__", "__class__"):
            return
        if node.id in LOOKUPS or node.id.startswith("__"):
            raise Refused(f"{node.id} finds names while the file runs", node.lineno)
        if node.id not in BUILTINS:
            raise Refused(f"the name {node.id} is not defined", node.lineno)

    def path_of(self, node: ast.AST) -> str:
        """triton.jit for `triton.jit`, `jit` and calls of them; empty for what is no imported thing."""
        if isinstance(node, ast.Call):
            return self.path_of(node.func)
        if isinstance(node, ast.Attribute):
            base = self.path_of(node.value)
            return f"{base}.{node.attr}" if base else ""
        item = self.bindings.get(node.id) if isinstance(node, ast.Name) else None
        return item.path.replace(":", ".") if item is not None and item.kind == "import" else ""

    def is_kernel(self, item: Item) -> bool:
        if item.kind == "function":
            return any(self.path_of(decorator) == "triton.jit" for decorator in item.node.decorator_list)
        return item.kind == "value" and any(self.path_of(node) == "triton.jit" for node in ast.walk(item.node) if isinstance(node, ast.Call))

    def may_be_shared(self, item: Item) -> bool:
        """Whether nothing can be kept in it from call to call: two parts that have it may then have one in common."""
        if item.kind == "import":
            return True
        if item.kind == "value":
            return len(item.names) == 1 and item.node.value is not None and self.is_fixed(item.node.value)
        if item.kind != "function" or not all(self.path_of(node).startswith("triton.") for node in item.node.decorator_list):
            return False
        return all(node is None or self.is_fixed(node) for node in [*item.node.args.defaults, *item.node.args.kw_defaults])

    def is_fixed(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return self.path_of(node) == "triton.language.constexpr" and all(self.is_fixed(part) for part in node.args) and not node.keywords
        if isinstance(node, ast.Tuple):
            return all(self.is_fixed(part) for part in node.elts)
        if isinstance(node, (ast.BinOp, ast.UnaryOp)):
            return all(self.is_fixed(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
        return isinstance(node, (ast.Constant, ast.Name, ast.Attribute))

    def about(self) -> dict[str, str]:
        """What a generated file says at its top about its kernels."""
        text = ast.get_docstring(self.tree) or ""
        return {found[1]: found[2].strip() for found in map(KERNEL_LINE.fullmatch, text.splitlines()) if found}


def is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, (str, type(...)))
