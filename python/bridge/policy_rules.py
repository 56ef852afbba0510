"""What the source policy says about one reference: a path, an attribute, an assignment to an attribute.

References carry a position, because some things may only stand in some places:
    base        left of a dot                     alias       right of `name =`
    call        what is called                    decorator   what decorates
    type        isinstance, except, annotations   bases       bases of a class           value   anywhere else
"""

from __future__ import annotations

import ast
from typing import Any

from ka_bridge import policy_lists as lists
from ka_bridge import policy_messages
from ka_bridge.policy_known import libdevice_names, module_names, risky_names, tensor_names
from ka_bridge.policy_names import Names, Ref
from ka_bridge.policy_scope import ClassInfo, FuncInfo, Scope

EVERYWHERE = (lists.CONSTANTS | lists.TORCH | lists.TRITON | lists.LANGUAGE | lists.STANDARD | lists.BUILTINS)
IN_KERNELS = (lists.LANGUAGE | lists.BUILTINS_IN_KERNELS | frozenset(p for p in lists.CONSTANTS if not p.startswith("torch."))
              | {"triton.cdiv", "triton.next_power_of_2"})
WHEN_BUILDING = lists.LAYERS | lists.PARAMETERS
# What to do instead, for what honest authors write most often.
HINTS = {
    "warmup": " (the number of registers is not known before the verdict; take the number of programs from the device's properties)",
    "clone": " (let a kernel write into torch.empty_like)",
    "copy_": " (let a kernel copy)",
    "item": " (the host cannot wait for a number; pass the tensor to the kernel and load it there)",
    "tolist": " (the host cannot wait for numbers; pass the tensor to the kernel and load them there)",
    "cpu": " (tensors stay on the device)",
}
TYPES_ONLY = lists.ONLY_BASES | {"torch.autograd.Function"}


def is_libdevice(path: str) -> bool:
    module, _, name = path.rpartition(".")
    return module in lists.LIBDEVICE and name in libdevice_names()


def family_rule(path: str) -> str:
    return "policy.torch" if path.split(".")[0] == "torch" else "policy.name"


def shown(path: str) -> str:
    return path.removeprefix("builtins.")


def because(path: str) -> str:
    return f" ({lists.REASONS[path]})" if path in lists.REASONS else ""


class Rules:
    def __init__(self, names: Names, allow_random: bool):
        self.names = names
        self.allow_random = allow_random
        self.found: dict[tuple[str, int, str], None] = {}
        self.refusals = 0
        self.scope: Scope = names.scan.module
        self.kernel: FuncInfo | None = None  # the kernel whose body is being read
        self.building = False  # inside a method that builds a module
        self.constructing = False  # inside its __init__
        self.atomics = False
        self.on_host: set[FuncInfo] = set()  # kernels that host code refers to
        self.in_kernels: set[FuncInfo] = set()  # kernels that kernels refer to

    def refuse(self, rule: str, node: Any, what: str) -> None:
        self.refusals += 1
        self.found[(rule, getattr(node, "lineno", 1), what[:200])] = None

    # ---- paths

    def judge_path(self, path: str, node: ast.AST, position: str) -> None:
        name = shown(path)
        if path in lists.MODULES:
            if position not in ("base", "alias"):
                self.refuse(family_rule(path), node, f"module {name} used as a value")
            elif self.kernel is not None and path.startswith("torch"):
                self.refuse("policy.torch", node, f"{name} in the kernel {self.kernel.name}")
        elif self.kernel is not None:
            self.judge_kernel_path(path, node)
        elif path in WHEN_BUILDING or path in lists.INITIALISERS:
            if position != "type" and not (self.building and position == "call"):
                self.refuse("policy.torch", node, f"{name} (layers, parameters and their initialisation belong in __init__)")
        elif path in lists.TABLES and self.constructing and position == "call":
            pass
        elif path in lists.RANDOM:
            if not (self.allow_random or self.building):
                self.refuse("policy.torch", node, f"{name} (the reference draws no random numbers)")
        elif path in lists.SEEDS:
            if self.allow_random:
                self.refuse("policy.torch", node, f"{name} (the judge seeds the reference and the kernel alike)")
        elif path not in EVERYWHERE and not is_libdevice(path):
            self.refuse(family_rule(path), node, name + because(path))
        else:
            self.judge_position(path, node, position)
        if path.rpartition(".")[2] in lists.ATOMICS and path.startswith("triton.language."):
            self.atomics = True

    def judge_kernel_path(self, path: str, node: ast.AST) -> None:
        if path not in IN_KERNELS and not is_libdevice(path):
            self.refuse(family_rule(path), node, f"{shown(path)} in the kernel {self.kernel.name}" + because(path))  # type: ignore[union-attr]

    def judge_position(self, path: str, node: ast.AST, position: str) -> None:
        name = shown(path)
        if path in TYPES_ONLY and position not in ("bases", "type", "alias"):
            self.refuse(family_rule(path), node, f"{name} used other than as a base class")
        elif path in lists.ONLY_DECORATORS and position not in ("decorator", "alias"):
            self.refuse("policy.name", node, f"{name} used other than as a decorator")
        elif path in lists.DECORATORS and position not in ("call", "decorator", "alias"):
            self.refuse("policy.name", node, f"{name} used as a value")
        elif path == "torch.Tensor" and position in ("call", "decorator"):
            self.refuse("policy.torch", node, "torch.Tensor(...) (use torch.empty)")
        elif (path in ("builtins.super", "builtins.hasattr") or path in policy_messages.CALLS) and position != "call":
            self.refuse("policy.name", node, f"{name} used as a value")

    # ---- own functions and classes

    def judge_own(self, ref: Ref, node: ast.AST, position: str) -> None:
        kind, what = ref
        if kind == "func":
            self.judge_function(what, node, position)
        elif kind == "class":
            if self.kernel is not None and position != "base":
                self.refuse("policy.name", node, f"class {what.name} in the kernel {self.kernel.name}")
            elif position == "value" and self.has_methods(what):
                self.refuse("policy.class", node, f"class {what.name} used as a value")
            elif position in ("value", "call") and "torch.autograd.Function" in self.names.roots(what):
                self.refuse("policy.class", node, f"class {what.name} used other than by {what.name}.apply")

    def judge_function(self, info: FuncInfo, node: ast.AST, position: str) -> None:
        if self.kernel is not None:
            self.in_kernels.add(info)
            if not (info.jit or info.constexpr):
                self.refuse("policy.name", node, f"host function {info.name} in the kernel {self.kernel.name}")
        elif info.jit:
            self.on_host.add(info)
            if position == "call":
                self.refuse("policy.name", node, f"kernel {info.name} called without a grid")
        if info.cls is not None and self.scope.cls is info.cls and (
                not info.static or (info.name in lists.FUNCTION_METHODS and "torch.autograd.Function" in self.names.roots(info.cls))):
            self.refuse("policy.class", node, f"method {info.name} used as a value in the body of class {info.cls.name}")

    def has_methods(self, cls: ClassInfo) -> bool:
        return any(not name.startswith("__") and not info.static
                   for item in self.names.family(cls) for name, info in item.methods.items())

    # ---- attributes

    def judge_attribute(self, ref: Ref, node: ast.Attribute, position: str) -> None:
        """node.attr of something that `ref` says."""
        kind, what = ref
        attr = node.attr
        if kind == "path" and what not in lists.CONSTANTS:
            self.judge_path(f"{what}.{attr}", node, position)
        elif attr.startswith("__"):
            self.refuse("policy.attribute", node, f"attribute {attr}")
        elif kind == "func":
            thing = "kernel" if what.jit else "function"
            self.refuse("policy.attribute", node, f"attribute {attr} of the {thing} {what.name}" + HINTS.get(attr, ""))
        elif kind == "inst":
            self.judge_instance_attribute(what, node)
        elif kind == "class":
            self.judge_class_attribute(what, node)
        elif kind == "info" and attr in lists.INFO_ATTRIBUTES or kind == "device" and attr == "index":
            pass  # a tensor has a method `index`, which computes
        elif kind == "layer" and attr in lists.LAYER_ATTRIBUTES:
            pass
        elif kind == "ctx" and not attr.startswith("_"):
            pass  # always the context itself: `forward` of an autograd function is reached by `apply` only
        else:
            self.judge_value_attribute(node)

    def judge_value_attribute(self, node: ast.Attribute) -> None:
        attr = node.attr
        own = attr in self.names.scan.field_names and attr not in risky_names() and not attr.startswith("_")
        if self.kernel is not None:
            if attr in lists.ATOMICS:
                self.atomics = True
            if attr not in lists.KERNEL_ATTRIBUTES and not own:
                self.refuse("policy.attribute", node, f"attribute {attr} in the kernel {self.kernel.name}")
        elif attr in lists.VALUE_ATTRIBUTES or (attr in lists.LAYER_ATTRIBUTES and attr not in tensor_names()) or own:
            pass
        elif attr in lists.RANDOM_METHODS and (self.allow_random or self.building) or attr in lists.TABLE_METHODS and self.constructing:
            pass
        elif attr.startswith("_"):
            self.refuse("policy.attribute", node, f"attribute {attr}")
        elif attr in tensor_names():
            self.refuse("policy.method", node, f"tensor method {attr}" + HINTS.get(attr, ""))
        else:
            self.refuse("policy.attribute", node, f"attribute {attr}")

    def judge_instance_attribute(self, cls: ClassInfo, node: ast.Attribute) -> None:
        attr = node.attr
        if any(attr in item.fields for item in self.names.family(cls)):
            return
        roots = self.names.roots(cls)
        if "torch.nn.Module" in roots:
            if attr not in lists.MODULE_METHODS:
                rule = "policy.method" if attr in module_names() else "policy.attribute"
                self.refuse(rule, node, f"attribute {attr} of {cls.name}, which defines no such name")
        else:
            self.judge_value_attribute(node)

    def judge_class_attribute(self, cls: ClassInfo, node: ast.Attribute) -> None:
        attr = node.attr
        roots = self.names.roots(cls)
        for item in self.names.family(cls):
            if attr in item.methods:
                if not item.methods[attr].static or (attr in lists.FUNCTION_METHODS and "torch.autograd.Function" in roots):
                    self.refuse("policy.class", node, f"method {attr} taken from the class {cls.name}")
                return
            if attr in item.scope.names:
                return
        if not (attr == "apply" and "torch.autograd.Function" in roots):
            self.refuse("policy.class", node, f"attribute {attr} of the class {cls.name}")

    def may_ask_for(self, name: str) -> bool:
        """Whether hasattr may ask a value for this name: what is read nowhere need not be asked for."""
        return name not in risky_names() or name in lists.VALUE_ATTRIBUTES | lists.LAYER_ATTRIBUTES or name in self.names.scan.field_names

    def is_module_path(self, node: ast.expr) -> bool:
        refs = self.names.resolve(node, self.scope)
        return bool(refs) and all(kind == "path" for kind, _ in refs)

    # ---- assignments

    def judge_store(self, ref: Ref, node: ast.Attribute) -> None:
        kind, what = ref
        attr = node.attr
        if kind == "inst" and not attr.startswith("__"):
            taken = any(attr in item.methods for item in self.names.family(what))
            if not taken and not (self.names.is_module(what) and attr in module_names()):
                return
        elif kind == "ctx" and not attr.startswith("_"):
            return
        elif kind == "value" and attr == "block_shape":  # of a tensor descriptor, from the hook of a configuration
            return
        self.refuse("policy.patch", node, f"assignment to attribute {attr} of {describe(ref, node.value)}")


def describe(ref: Ref, node: ast.expr) -> str:
    kind, what = ref
    if kind == "path":
        return shown(what)
    if kind in ("func", "class"):
        return f"{'class' if kind == 'class' else 'function'} {what.name}"
    if kind == "inst":
        return f"an object of class {what.name}"
    return dotted(node) or "a value"


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        left = dotted(node.value)
        return f"{left}.{node.attr}" if left else ""
    return ""
