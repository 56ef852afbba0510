"""Definitions under the source policy: functions, kernels, lambdas, classes."""

from __future__ import annotations

import ast
import re
from typing import Any

import torch

from ka_bridge import policy_lists as lists
from ka_bridge.policy_names import Names
from ka_bridge.policy_known import module_names
from ka_bridge.policy_rules import family_rule, shown
from ka_bridge.policy_scope import ClassInfo, FuncInfo, parameters
from ka_bridge.policy_walk import Walker

CLASS_DECORATORS = frozenset({"dataclasses.dataclass", "enum.unique", "typing.final"})
MODULE_DUNDERS = frozenset({"__all__", "__version__", "__author__"})
ENUM_HOOK = re.compile(r"_[^_].*_")
DEF_LINE = re.compile(r"\s*def\b")


class Judge(Walker):
    """Judge(names, lines, allow_random).read(tree) fills `found`, `atomics`, `on_host`, `in_kernels`."""

    def __init__(self, names: Names, lines: list[str], allow_random: bool):
        super().__init__(names, allow_random)
        self.lines = lines

    def read(self, tree: ast.Module) -> None:
        self.walk_each(tree.body)
        for name, line, scope in self.names.scan.dunders:
            place = ast.Pass(lineno=line, col_offset=0)
            if scope.kind == "class":
                if name not in lists.CLASS_DUNDERS:
                    self.refuse("policy.class", place, f"{name} in the body of a class")
            elif scope.kind != "module" or name not in MODULE_DUNDERS:
                self.refuse("policy.name", place, f"definition of {name}")

        for scope in self.names.scan.scopes.values():
            for name in sorted(lists.RESERVED & scope.names.keys()):
                owner = scope.func or scope.cls
                self.refuse("policy.patch", owner.node if owner is not None else tree, f"name {name}, which Triton's interpreter uses")

    # ---- functions

    def walk_FunctionDef(self, node: ast.FunctionDef, position: str) -> None:
        self.walk_signature(node.args)
        if node.returns is not None:
            self.walk(node.returns, "type")
        if getattr(node, "type_params", None):
            self.refuse("policy.name", node, f"type parameters of {node.name}")
        info = self.names.scan.functions.get(node)
        if info is None:  # get_inputs and the like: never executed
            return
        self.walk_each(node.decorator_list, "decorator")
        if info.jit:
            self.judge_kernel(info)
        elif info.cls is not None:
            self.judge_method(info)
        self.walk_body(info, node.body)

    def walk_Lambda(self, node: ast.Lambda, position: str) -> None:
        self.walk_signature(node.args)
        self.walk_body(self.names.scan.functions[node], [node.body])

    def walk_signature(self, args: ast.arguments) -> None:
        self.walk_each([*args.defaults, *args.kw_defaults])
        self.walk_each([arg.annotation for arg in parameters(args)], "type")

    def walk_body(self, info: FuncInfo, body: list[Any]) -> None:
        saved = self.kernel, self.building, self.constructing
        self.kernel = info if info.jit else None
        self.building = (info.cls is not None and self.names.is_module(info.cls)
                         and (info.name in lists.BUILDING_METHODS or info.name.startswith(lists.BUILDING_PREFIXES)))
        self.constructing = self.building and info.name == "__init__"
        self.inside(info.scope, body)
        self.kernel, self.building, self.constructing = saved

    def judge_method(self, info: FuncInfo) -> None:
        for decorator in info.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            refs = self.names.resolve(target, self.scope)
            if not refs or any(kind != "path" or what not in lists.METHOD_DECORATORS for kind, what in refs):
                self.refuse("policy.class", decorator, f"decorator of the method {info.name}")

    def judge_kernel(self, info: FuncInfo) -> None:
        """Triton reads a kernel's source again, from text: it must be the very text that was judged here.

        Its compiler takes the first line of the function that begins with `def`, its interpreter the last one; a line of a string
        that looks like a definition would put a text in the place of the code.
        """
        node = info.node
        if info.cls is not None:
            self.refuse("policy.class", node, f"kernel {info.name} inside a class")
        for decorator in node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            refs = self.names.resolve(target, self.scope)
            if not refs or any(kind != "path" or what not in lists.DECORATORS for kind, what in refs):
                self.refuse("policy.patch", decorator, f"decorator of the kernel {info.name} that is not Triton's")
            for part in ast.walk(decorator):
                if isinstance(part, (ast.Constant, ast.JoinedStr)) and part.lineno != part.end_lineno:
                    self.refuse("policy.patch", part, f"text over several lines in a decorator of the kernel {info.name}")
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        for number in range(first, (node.end_lineno or node.lineno) + 1):
            line = self.lines[number - 1]
            if number == node.lineno:
                if not line.lstrip().startswith(f"def {node.name}"):
                    self.refuse("policy.patch", node, f"definition of the kernel {info.name} not on a line of its own")
            elif DEF_LINE.match(line):
                place = ast.Pass(lineno=number, col_offset=0)
                self.refuse("policy.patch", place, f"a line of the kernel {info.name} that looks like a definition")

    # ---- classes

    def walk_ClassDef(self, node: ast.ClassDef, position: str) -> None:
        info = self.names.scan.classes[node]
        if node.keywords:
            self.refuse("policy.class", node, f"class {node.name} with keywords (a metaclass)")
        if getattr(node, "type_params", None):
            self.refuse("policy.class", node, f"type parameters of {node.name}")
        for base in node.bases:
            self.judge_base(base, node.name)
        for decorator in node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            refs = self.names.resolve(target, self.scope)
            if not refs or any(kind != "path" or what not in CLASS_DECORATORS for kind, what in refs):
                self.refuse("policy.class", decorator, f"decorator of the class {node.name}")
            self.walk(decorator, "decorator")
        self.judge_overrides(info)
        saved = self.building, self.constructing
        self.building = self.constructing = False
        self.inside(info.scope, node.body)
        self.building, self.constructing = saved

    def judge_base(self, base: ast.expr, name: str) -> None:
        target = base
        if isinstance(base, ast.Subscript):
            target = base.value
            self.walk(base.slice, "type")
        self.walk(target, "bases")
        for kind, what in self.names.resolve(target, self.scope):
            if kind == "path" and what not in lists.BASES:
                self.refuse("policy.torch" if family_rule(what) == "policy.torch" else "policy.class", base,
                            f"{shown(what)} as a base of the class {name}")
            elif kind not in ("path", "class"):
                self.refuse("policy.class", base, f"base of the class {name} that is neither a class of this file nor an allowed one")

    def judge_overrides(self, info: ClassInfo) -> None:
        """A class may not redefine what its foreign base does."""
        roots = self.names.roots(info)
        for name, bindings in info.fields.items():
            if name.startswith("__"):
                continue
            taken = (("torch.nn.Module" in roots and name in module_names())
                     or ("torch.autograd.Function" in roots and name not in lists.FUNCTION_METHODS and hasattr(torch.autograd.Function, name))
                     or (any(root.startswith("enum.") for root in roots) and ENUM_HOOK.fullmatch(name)))
            if taken:
                method = info.methods.get(name)
                node = method.node if method is not None else next((b[1] for b in bindings if isinstance(b[1], ast.AST)), info.node)
                self.refuse("policy.patch", node, f"class {info.name} redefines {name} of its base")
