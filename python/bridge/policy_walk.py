"""Second pass of the source policy: every expression and statement of the file, judged where it stands."""

from __future__ import annotations

import ast
from typing import Any

from ka_bridge import policy_assembly
from ka_bridge import policy_lists as lists
from ka_bridge import policy_messages
from ka_bridge.policy_names import VALUE, Names
from ka_bridge.policy_rules import WHEN_BUILDING, EVERYWHERE, Rules, because, family_rule, is_libdevice, shown
from ka_bridge.policy_scan import COMPREHENSIONS
from ka_bridge.policy_scope import PARTS, Scope, is_main_guard

# Node types whose parts are judged one by one and which mean nothing by themselves.
PLAIN = frozenset("""
    Expr If While For Break Continue Pass Return Raise Try TryStar With Assert Delete Global Nonlocal Module
    BoolOp UnaryOp IfExp Dict Set List Tuple Compare Subscript Slice Starred JoinedStr FormattedValue Constant Yield YieldFrom
    keyword comprehension arguments arg withitem match_case
    Match MatchValue MatchSingleton MatchSequence MatchMapping MatchStar MatchAs MatchOr
""".split())
NOT_IN_KERNELS = frozenset("""
    FunctionDef ClassDef Import ImportFrom Lambda With Try TryStar Raise Global Nonlocal Delete Yield YieldFrom Match NamedExpr
""".split())
IMPORTABLE = EVERYWHERE | WHEN_BUILDING | lists.INITIALISERS | lists.RANDOM | lists.SEEDS
JIT = frozenset({"triton.jit", "triton.constexpr_function"})
JIT_KEYWORDS = frozenset("version repr launch_metadata do_not_specialize do_not_specialize_on_alignment debug noinline".split())
TYPE_FORMS = frozenset({"Tuple", "List", "Subscript", "Starred"})


class Walker(Rules):
    def __init__(self, names: Names, allow_random: bool):
        super().__init__(names, allow_random)
        self.table = {name[5:]: getattr(self, name) for name in dir(self) if name.startswith("walk_")}
        self.first_generators: set[ast.comprehension] = set()
        self.accepted: set[tuple[Any, ...]] = set()  # names judged before, in the same place: most are used many times

    def walk(self, node: Any, position: str = "value") -> None:
        name = type(node).__name__
        if name == "Constant":
            return
        if self.kernel is not None and name in NOT_IN_KERNELS:
            self.refuse("policy.name", node, f"{name} in the kernel {self.kernel.name}")
            return
        special = self.table.get(name)
        if special is not None:
            special(node, position)
        elif name in PLAIN:
            self.walk_parts(node, "type" if position == "type" and name in TYPE_FORMS else "value")
        elif isinstance(node, COMPREHENSIONS):
            self.first_generators.add(node.generators[0])
            self.walk(node.generators[0].iter)  # read outside: `for t in t.x`
            self.inside(self.names.scan.scopes[node], [*node.generators, *self.results(node)])
        else:
            self.refuse("policy.name", node, f"{name} (not part of the Python that kernel files may use)")

    def walk_parts(self, node: ast.AST, position: str = "value") -> None:
        for field in PARTS[node.__class__]:
            child = getattr(node, field, None)
            if child.__class__ is list:
                for item in child:
                    if isinstance(item, ast.AST):
                        self.walk(item, position)
            elif child is not None:
                self.walk(child, position)

    def walk_each(self, nodes: Any, position: str = "value") -> None:
        for node in nodes:
            if node is not None:
                self.walk(node, position)

    def inside(self, scope: Scope, nodes: list[Any]) -> None:
        outer, self.scope = self.scope, scope
        self.walk_each(nodes)
        self.scope = outer

    @staticmethod
    def results(node: Any) -> list[ast.expr]:
        return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]

    def walk_comprehension(self, node: ast.comprehension, position: str) -> None:
        self.walk_each([node.target, *node.ifs])
        if node not in self.first_generators:
            self.walk(node.iter)

    # ---- references

    def walk_Name(self, node: ast.Name, position: str) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        name = node.id
        if name.startswith("__") and name.endswith("__"):
            self.refuse("policy.name", node, f"name {name}")
            return
        if name in self.names.scan.skipped:
            self.refuse("policy.name", node, f"use of {name} (it belongs to the problem)")
            return
        key = (name, self.scope, position, self.kernel, self.building, self.constructing)
        if key in self.accepted:
            return
        before = self.refusals
        refs = self.names.lookup(name, self.scope)
        if not refs and not any(self.names.find(name, self.scope)):
            self.refuse("policy.name", node, f"name {name} (defined nowhere in the file)")
        for ref in refs:
            if ref[0] == "path":
                self.judge_path(ref[1], node, position)
            elif ref[0] != "value":
                self.judge_own(ref, node, position)
        if self.refusals == before:
            self.accepted.add(key)

    def walk_Attribute(self, node: ast.Attribute, position: str) -> None:
        refs = self.names.resolve(node.value, self.scope) or VALUE
        if not isinstance(node.ctx, ast.Load):
            self.walk(node.value, "base")
            for ref in refs:
                self.judge_store(ref, node)
            return
        if not self.is_prefix(node.value, refs):
            self.walk(node.value, "base")
        for ref in refs:
            self.judge_attribute(ref, node, position)
            if ref[0] in ("class", "inst"):
                self.judge_member(ref, node, position)

    def is_prefix(self, node: ast.expr, refs: Any) -> bool:
        """`a.b` of `a.b.c` where a.b.c as a whole is what counts (TensorDescriptor.from_tensor)."""
        return isinstance(node, (ast.Name, ast.Attribute)) and all(
            kind == "path" and what not in lists.MODULES and what not in lists.CONSTANTS for kind, what in refs)

    def judge_member(self, ref: Any, node: ast.Attribute, position: str) -> None:
        """A field that holds something with a name of its own: self.act = torch.zeros."""
        for kind, what in self.names.member(ref, node.attr):
            if kind == "path" and what in lists.MODULES and position not in ("base", "alias"):
                self.refuse(family_rule(what), node, f"module {shown(what)} used as a value")
            elif kind == "func" and what.jit:
                self.judge_function(what, node, position)

    # ---- calls

    def walk_Call(self, node: ast.Call, position: str) -> None:
        if self.is_super_init(node):
            self.walk_each([*node.args, *node.keywords])
            return
        self.walk(node.func, "decorator" if position == "decorator" else "call")
        keywords = {keyword.arg for keyword in node.keywords}
        modules_allowed = False
        types_from = len(node.args)
        called = self.names.resolve(node.func, self.scope)
        for kind, what in called:
            if kind == "layer":
                self.refuse("policy.torch", node, f"call of the layer {what}")
            elif kind == "path":
                self.judge_call(what, node, keywords)
                if what in JIT and not node.args and position not in ("call", "decorator", "alias"):
                    self.refuse("policy.name", node, f"{what}(...) used as a value")
        if len(called) == 1:  # an own function of that name must not get what only the builtin may have
            (kind, what), = called
            modules_allowed = what == "builtins.hasattr"
            types_from = 1 if what in ("builtins.isinstance", "builtins.issubclass") else types_from
        for index, arg in enumerate(node.args):
            if called == {("path", "logging.getLogger")} and policy_messages.is_own_name(node):
                break
            self.walk(arg, "type" if index >= types_from else "base" if modules_allowed and index == 0 else "value")
        self.walk_each(node.keywords)

    def judge_call(self, path: str, node: ast.Call, keywords: set[str | None]) -> None:
        if path.startswith("torch.") and "out" in keywords:
            self.refuse("policy.torch", node, f"{path} with out=")
        elif path == "builtins.print" and "file" in keywords:
            self.refuse("policy.name", node, "print with file=")
        elif path == "builtins.super":
            self.refuse("policy.class", node, "super() other than super().__init__(...)")
        elif path == "functools.wraps" and (len(node.args) != 1 or node.keywords):
            self.refuse("policy.patch", node, "functools.wraps with more than one argument")
        elif path == "builtins.hasattr":
            name = node.args[1] if len(node.args) == 2 else None
            if not (isinstance(name, ast.Constant) and isinstance(name.value, str) and not name.value.startswith("_")):
                self.refuse("policy.name", node, "hasattr with a name that is not a plain word in quotes")
            elif not self.may_ask_for(name.value) and not self.is_module_path(node.args[0]):
                self.refuse("policy.attribute", node, f"hasattr with the name {name.value}, which tells kinds of kernels apart")
        elif path in JIT and not keywords <= JIT_KEYWORDS:
            self.refuse("policy.name", node, f"{path} with keywords that are not its options")
        elif path in JIT and node.args:
            refs = self.names.resolve(node.args[0], self.scope)
            plain = isinstance(node.args[0], ast.Name) and refs and all(
                kind == "func" and isinstance(what.node, ast.FunctionDef) for kind, what in refs)
            if not plain or len(node.args) != 1:
                self.refuse("policy.name", node, f"{path} applied to something other than a function of this file")
        elif path == "triton.language.inline_asm_elementwise":
            policy_assembly.judge(node, self.refuse)
        elif path in policy_messages.CALLS:
            policy_messages.judge(path, node, self.refuse)

    def is_super_init(self, node: ast.Call) -> bool:
        """super().__init__(...) in __init__ of an own class."""
        func = node.func
        place: Scope | None = self.scope
        if not (isinstance(func, ast.Attribute) and func.attr == "__init__" and isinstance(func.value, ast.Call)
                and isinstance(func.value.func, ast.Name) and place is not None and place.func is not None):
            return False
        if place.func.cls is None or place.func.name != "__init__":
            return False
        if self.names.lookup(func.value.func.id, place) != frozenset({("path", "builtins.super")}):
            return False
        args = func.value.args
        if not args:
            return True
        return len(args) == 2 and [self.names.resolve(arg, place) for arg in args] == [
            frozenset({("class", place.func.cls)}), frozenset({("inst", place.func.cls)})]

    # ---- operators and targets

    def walk_BinOp(self, node: ast.BinOp, position: str) -> None:
        if isinstance(node.op, ast.MatMult) and self.kernel is None:
            self.refuse("policy.operator", node, "operator @ (a matrix product outside Triton)")
        self.walk(node.left, position if position == "type" else "value")
        self.walk(node.right, position if position == "type" else "value")

    def walk_AugAssign(self, node: ast.AugAssign, position: str) -> None:
        if isinstance(node.op, ast.MatMult) and self.kernel is None:
            self.refuse("policy.operator", node, "operator @= (a matrix product outside Triton)")
        self.walk(node.target)
        self.walk(node.value)

    def walk_Assign(self, node: ast.Assign, position: str) -> None:
        if self.is_setting(node):
            return
        self.walk_each(node.targets)
        named = all(isinstance(target, ast.Name) for target in node.targets) and self.scope.kind != "class"
        target = node.targets[0]
        if named:
            self.walk(node.value, "alias")
        elif (len(node.targets) == 1 and isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
              and len(target.elts) == len(node.value.elts) and all(isinstance(e, ast.Name) for e in target.elts)
              and self.scope.kind != "class"):
            self.walk_each(node.value.elts, "alias")
        else:
            self.walk(node.value)

    def is_setting(self, node: ast.Assign) -> bool:
        """torch.backends.cudnn.benchmark = True"""
        target = node.targets[0]
        if self.kernel is not None or len(node.targets) != 1 or not isinstance(target, ast.Attribute) or not (
                isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool)):
            return False
        refs = self.names.resolve(target, self.scope)
        return bool(refs) and all(kind == "path" and what in lists.SETTINGS for kind, what in refs)

    def walk_AnnAssign(self, node: ast.AnnAssign, position: str) -> None:
        self.walk(node.target)
        self.walk(node.annotation, "type")
        if node.value is not None:
            self.walk(node.value)

    def walk_NamedExpr(self, node: ast.NamedExpr, position: str) -> None:
        self.walk(node.target)
        self.walk(node.value)

    def walk_ExceptHandler(self, node: ast.ExceptHandler, position: str) -> None:
        if node.type is not None:
            self.walk(node.type, "type")
        self.walk_each(node.body)

    def walk_If(self, node: ast.If, position: str) -> None:
        if node is self.names.scan.main_block:
            return
        if is_main_guard(node):
            self.refuse("policy.name", node, "name __name__ (a self test is the last statement of the file, and has no else)")
            self.walk_each([*node.body, *node.orelse])
        else:
            self.walk_parts(node)

    def walk_MatchClass(self, node: Any, position: str) -> None:
        self.walk(node.cls, "type")
        for attr in node.kwd_attrs:
            read = ast.copy_location(ast.Attribute(value=node.cls, attr=attr, ctx=ast.Load()), node)
            self.judge_attribute(("value", ""), read, "value")
        self.walk_each([*node.patterns, *node.kwd_patterns])

    # ---- imports

    def walk_Import(self, node: ast.Import, position: str) -> None:
        for alias in node.names:
            if alias.name not in lists.MODULES:
                self.refuse("policy.import", node, f"import of {alias.name}")

    def walk_ImportFrom(self, node: ast.ImportFrom, position: str) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            path = f"{module}.{alias.name}"
            if alias.name == "*" or module not in lists.MODULES:
                self.refuse("policy.import", node, f"import of {alias.name} from {module}")
            elif path not in lists.MODULES and path not in IMPORTABLE and not is_libdevice(path):
                rule = "policy.torch" if module.split(".")[0] == "torch" else "policy.import"
                self.refuse(rule, node, f"import of {path}" + because(path))
