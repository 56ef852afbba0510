"""Name resolution of the source policy: what an expression may refer to.

resolve(expression, scope) answers a set of references, the union over every binding that could be in force (order of execution is
not followed, so the answer can only be too large). A reference is a pair:
    ("path", "torch.empty")   something of a foreign module or a builtin ("builtins.len")
    ("func", FuncInfo)        an own function, method, lambda or kernel
    ("class", ClassInfo)      an own class;   ("inst", ClassInfo) an instance of it
    ("layer", "torch.nn.X")   a constructed PyTorch layer, or something that contains one
    ("info", "")              torch.finfo(...);   ("device", "") a torch.device;   ("ctx", "") the context of an autograd function
    ("value", "")             anything else: a tensor, a number, a list ...
"""

from __future__ import annotations

import ast
import builtins
import functools
from typing import Any

from ka_bridge import policy_lists as lists
from ka_bridge.policy_scan import COMPREHENSIONS, Scan
from ka_bridge.policy_scope import Binding, ClassInfo, Scope

Ref = tuple[str, Any]
Refs = frozenset[Ref]
NOTHING: Refs = frozenset()
VALUE: Refs = frozenset({("value", "")})
DEVICE: Refs = frozenset({("device", "")})
DEVICES = frozenset({"torch.device", "triton.runtime.driver.active.get_active_torch_device"})
BUILTIN_NAMES = frozenset(dir(builtins))
MAX_PATH_PARTS = 8
# Builtins whose result contains what their arguments contain.
PASS_THROUGH = frozenset(f"builtins.{name}" for name in "list tuple reversed sorted zip enumerate iter next set".split())


@functools.cache
def interpreter_names() -> frozenset[str]:
    from triton.runtime import interpreter

    return frozenset(vars(interpreter))


class Names:
    def __init__(self, scan: Scan):
        self.scan = scan
        self.known: dict[tuple[Scope, str], Refs] = {}  # final answers
        self.guess: dict[tuple[Scope, str], Refs] = {}  # lower bounds while a cycle is being solved
        self.active: set[tuple[Scope, str]] = set()
        self.places: dict[tuple[Scope, str], tuple[list[Scope], bool]] = {}
        self.fresh: set[tuple[Scope, str]] = set()  # done in this round
        self.cyclic = self.changed = False
        for cls in scan.classes.values():
            self.find_bases(cls)
        self.known.clear()  # answers from before the bases were known
        self.find_kernels()

    # ---- classes and kernels

    def find_bases(self, cls: ClassInfo) -> None:
        for base in cls.node.bases:
            target = base.value if isinstance(base, ast.Subscript) else base
            for kind, what in self.resolve(target, cls.parent):
                if kind == "class" and what is not cls:
                    cls.bases.append(what)
                elif kind == "path":
                    cls.roots.add(what)

    def family(self, cls: ClassInfo) -> list[ClassInfo]:
        """The class and its own bases, nearest first."""
        found, pending = [], [cls]
        while pending:
            item = pending.pop(0)
            if item not in found:
                found.append(item)
                pending.extend(item.bases)
        return found

    def roots(self, cls: ClassInfo) -> set[str]:
        return set().union(*(item.roots for item in self.family(cls)))

    def is_module(self, cls: ClassInfo) -> bool:
        return "torch.nn.Module" in self.roots(cls)

    def find_kernels(self) -> None:
        for info in self.scan.functions.values():
            for decorator in getattr(info.node, "decorator_list", ()):
                paths = self.decorator_paths(decorator, info.parent)
                info.jit = info.jit or "triton.jit" in paths
                info.tuned = info.tuned or "triton.autotune" in paths
                info.constexpr = info.constexpr or "triton.constexpr_function" in paths
        for call, scope in self.scan.calls:
            paths = self.decorator_paths(call.func, scope) & (lists.DECORATORS | {"triton.constexpr_function"})
            for kind, info in self.resolve(call.args[0], scope) if paths else ():
                if kind == "func":
                    info.jit = info.jit or "triton.jit" in paths
                    info.tuned = info.tuned or "triton.autotune" in paths
                    info.constexpr = info.constexpr or "triton.constexpr_function" in paths

    def decorator_paths(self, node: ast.expr, scope: Scope) -> set[str]:
        """The foreign names that a decorator applies: of `@triton.autotune(...)` it is triton.autotune."""
        while isinstance(node, ast.Call):
            node = node.func
        return {what for kind, what in self.resolve(node, scope) if kind == "path"}

    # ---- names

    def find(self, name: str, scope: Scope) -> tuple[list[Scope], bool]:
        """The scopes whose bindings of the name may be meant, and whether a builtin may be meant."""
        key = (scope, name)
        answer = self.places.get(key)
        if answer is None:
            answer = self.places[key] = self.find_places(name, scope)
        return answer

    def find_places(self, name: str, scope: Scope) -> tuple[list[Scope], bool]:
        found: list[Scope] = []
        place: Scope | None = scope
        in_class_body = True  # a function inside a class does not see the names of the class
        while place is not None and place.kind != "module":
            declared = place.outer.get(name)
            if declared == "global":
                break
            if declared is None and name in place.names:
                if place.kind != "class":
                    found.append(place)
                    return found, False
                if in_class_body:
                    found.append(place)  # may not be bound yet: the outer meaning counts too
            if place.kind == "function":
                in_class_body = False
            place = place.parent
        if name in self.scan.module.names:
            found.append(self.scan.module)
        # A global that hides a builtin may not be bound yet when it is read.
        return found, name in BUILTIN_NAMES

    def lookup(self, name: str, scope: Scope) -> Refs:
        """Every reference that the name may have; empty when it is bound nowhere."""
        scopes, builtin = self.find(name, scope)
        if len(scopes) == 1 and not builtin:
            return self.bindings((scopes[0], name))
        refs: Refs = frozenset({("path", f"builtins.{name}")}) if builtin else NOTHING
        for place in scopes:
            refs |= self.bindings((place, name))
        return refs

    def leak(self, name: str) -> Refs:
        """Triton's interpreter adds its own globals to those of the file when it first runs a kernel. A name that the file binds
        late, or in code that never runs, would then be numpy or inspect."""
        if name not in interpreter_names() or (name in self.scan.early and name not in self.scan.deleted):
            return NOTHING
        for kind, what, _ in self.scan.module.names[name]:
            if kind != "path" or (what.rpartition(".")[2] != name and (name, what) != ("tl", "triton.language")):
                return frozenset({("path", f"triton.runtime.interpreter.{name}")})
        return NOTHING

    def bindings(self, key: tuple[Scope, str]) -> Refs:
        """Least fixed point over the bindings of the name and of all names that they mention."""
        if key in self.known:
            return self.known[key]
        if key in self.active:
            self.cyclic = True
        if key in self.active or key in self.fresh:
            return self.guess.get(key, NOTHING)
        if self.active:
            return self.step(key)
        while True:
            self.cyclic = self.changed = False
            self.fresh.clear()
            self.step(key)
            if not (self.cyclic and self.changed):
                break
        self.known.update(self.guess)
        self.guess.clear()
        self.fresh.clear()
        return self.known[key]

    def step(self, key: tuple[Scope, str]) -> Refs:
        """One round: the union over the bindings, with what is known so far about the names in a cycle."""
        self.active.add(key)
        refs = self.leak(key[1]) if key[0] is self.scan.module else NOTHING
        for binding in key[0].names[key[1]]:
            refs |= self.binding(binding)
        self.active.discard(key)
        self.fresh.add(key)
        if refs != self.guess.get(key):
            self.guess[key] = refs
            self.changed = True
        return refs

    def binding(self, binding: Binding) -> Refs:
        kind, what, scope = binding
        if kind == "expr":
            return self.resolve(what, scope)
        if kind == "elem":
            return VALUE | layers(self.resolve(what, scope))
        if kind == "self":
            return frozenset({("inst", what)})
        if kind == "ctx":
            return frozenset({("ctx", "")}) if "torch.autograd.Function" in self.roots(what) else VALUE
        if kind == "value":
            return VALUE
        return frozenset({(kind, what)})

    # ---- expressions

    def resolve(self, node: Any, scope: Scope) -> Refs:
        if isinstance(node, ast.Name):
            return self.lookup(node.id, scope)
        if isinstance(node, ast.Attribute):
            refs = NOTHING
            for ref in self.resolve(node.value, scope):
                refs |= self.member(ref, node.attr)
            return refs
        if isinstance(node, ast.Call):
            refs = NOTHING
            for ref in self.resolve(node.func, scope):
                refs |= self.result(ref, node, scope)
            return refs
        if isinstance(node, ast.IfExp):
            return self.resolve(node.body, scope) | self.resolve(node.orelse, scope)
        if isinstance(node, ast.NamedExpr):
            return self.resolve(node.value, scope)
        if isinstance(node, ast.Subscript):
            return VALUE | layers(self.resolve(node.value, scope))
        if isinstance(node, ast.Lambda):
            info = self.scan.functions.get(node)
            return frozenset({("func", info)}) if info is not None else VALUE
        return self.contained(node, scope)

    def contained(self, node: Any, scope: Scope) -> Refs:
        """Displays, comprehensions, `or`: a value that may contain or be one of the parts."""
        parts: list[Any] = []
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            parts = node.elts
        elif isinstance(node, ast.Dict):
            parts = node.values
        elif isinstance(node, ast.Starred):
            parts = [node.value]
        elif isinstance(node, COMPREHENSIONS):
            scope = self.scan.scopes.get(node, scope)
            parts = [node.value if isinstance(node, ast.DictComp) else node.elt]
        elif isinstance(node, ast.BoolOp):
            refs = NOTHING
            for part in node.values:
                refs |= self.resolve(part, scope)
            return refs
        refs = VALUE
        for part in parts:
            if not isinstance(part, ast.Constant):
                refs |= layers(self.resolve(part, scope))
        return refs

    def member(self, ref: Ref, attr: str) -> Refs:
        kind, what = ref
        if kind == "path":
            if what in lists.CONSTANTS or what.count(".") >= MAX_PATH_PARTS:
                return VALUE
            return frozenset({("path", f"{what}.{attr}")})
        if kind in ("inst", "class"):
            refs = NOTHING
            for cls in self.family(what):
                if attr in cls.fields:
                    refs |= self.bindings((cls.scope, attr))
            return refs or VALUE
        return DEVICE if attr == "device" and kind == "value" else VALUE

    def result(self, ref: Ref, node: ast.Call, scope: Scope) -> Refs:
        """What a call of `ref` gives."""
        kind, what = ref
        if kind == "class":
            return frozenset({("inst", what)})
        refs = VALUE
        if kind == "func":
            for value in what.returns:
                refs |= layers(self.resolve(value, what.scope))
        elif kind == "path":
            if what in lists.LAYERS and what not in lists.PARAMETERS:
                return frozenset({("layer", what)})
            if what in ("torch.finfo", "torch.iinfo"):
                return frozenset({("info", "")})
            if what in DEVICES:
                return DEVICE
            if what in ("triton.jit", "triton.constexpr_function"):  # with options only it gives a decorator
                return self.resolve(node.args[0], scope) if node.args else frozenset({ref})
            if what in lists.LAYER_LISTS or what in PASS_THROUGH:
                for arg in node.args:
                    refs |= layers(self.resolve(arg, scope))
        return refs


def layers(refs: Refs) -> Refs:
    return NOTHING if refs is VALUE else frozenset(ref for ref in refs if ref[0] == "layer")
