"""The source policy of files that capture their launches: what they may do with the class Captured (captured.py).

The class itself names what no kernel file may name, and keeps what no kernel file may keep. It is allowed as a whole, word for word, and as nothing
else: `name = Captured(function)` once, at the top of the file, and calls of that name. A replay does what the function did when it was captured; so nothing
that the function reads may change but its arguments: a file that captures keeps nothing else from call to call.

What the class calls is what Python and PyTorch call so: nothing at the top of the file takes one of those names. The judge executes the class among names of its own
and would not see it.

The rest of the policy reads the file as if the class were not there, and as if the name were another name of the function.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterator
from typing import Any

from ka_bridge import policy_lists as lists
from ka_bridge.captured_judged import Captured, class_node, is_the_class
from ka_bridge.policy_scope import main_block

NAME = Captured.__name__
# What a capture cannot hold: numbers that are drawn anew, copies between the host and the GPU, waiting.
UNCAPTURED = frozenset(path.rpartition(".")[2] for path in lists.RANDOM) | lists.RANDOM_METHODS | frozenset("tensor as_tensor item tolist cpu cuda to synchronize".split())
Violation = tuple[str, int, str]  # rule, line, what
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def read(tree: ast.Module) -> tuple[bool, list[Violation]]:
    """Whether the file captures its launches, and what of that is refused. Takes the class and its use out of the tree."""
    classes = [node for node in tree.body if is_the_class(node)]
    if not classes:
        return False, other_text(tree)
    for node in classes:
        take_out(tree, node)
    uses = [node for node in tree.body if is_use(node)]
    found = [("policy.class", node.lineno, f"class {NAME} a second time") for node in classes[1:]]
    if len(uses) != 1:
        line = uses[1].lineno if uses else classes[0].lineno
        return True, [*found, ("policy.class", line, f"{NAME} other than once, as name = {NAME}(function) at the top of the file")]
    use = uses[0]
    self_test = main_block(tree)
    rest = [node for node in tree.body if node not in (use, self_test)]
    name, function = use.targets[0].id, use.value.args[0].id
    found += [*judge_names(rest, name, function), *judge_shadows([use, *rest]), *(violation for node in rest for violation in (*judge_kept(node), *judge_calls(node)))]
    use.value = use.value.args[0]
    return True, found


def other_text(tree: ast.Module) -> list[Violation]:
    """A class of that name that captures, in other words: that is all that has to be said about it."""
    found = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == NAME
             and any(isinstance(part, ast.Attribute) and part.attr == "CUDAGraph" for part in ast.walk(node))]
    for node in found:
        take_out(tree, node)
    return [("policy.class", node.lineno, f"class {NAME} in other words than those that the judge knows (kernelagent writes it with --forms graphs)") for node in found]


def take_out(tree: ast.Module, node: ast.stmt) -> None:
    tree.body[tree.body.index(node)] = ast.copy_location(ast.Pass(), node)


def is_use(node: ast.stmt) -> Any:
    """name = Captured(function)"""
    return (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name) and node.value.func.id == NAME and not node.value.keywords
            and len(node.value.args) == 1 and isinstance(node.value.args[0], ast.Name))


def judge_names(rest: list[ast.stmt], name: str, function: str) -> Iterator[Violation]:
    """The class is named nowhere else, the captured function is one of this file and bound once, and its other name is only called."""
    definitions = [node for node in rest if isinstance(node, ast.FunctionDef) and node.name == function]
    if len(definitions) != 1 or definitions[0].decorator_list or name == function:
        yield "policy.class", rest[0].lineno if rest else 1, f"{NAME} of {function}, which is no plain function that the file defines once"
    called = {id(node.func) for top in rest for node in ast.walk(top) if isinstance(node, ast.Call)}
    for top in rest:
        for node in ast.walk(top):
            for word in words_of(node):
                if word == NAME:
                    yield "policy.class", line_of(node, top), f"{NAME} other than as name = {NAME}(function) at the top of the file"
                elif word == name and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) in called):
                    yield "policy.class", line_of(node, top), f"{name}, which captures launches, other than by a call"
                elif word == function and node not in definitions and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
                    yield "policy.class", line_of(node, top), f"another binding of {function}, whose launches are captured"


@functools.cache
def used_by_class() -> frozenset[str]:
    """The names of the module in which the class stands, and of Python, that it reads."""
    read = {node.id for node in ast.walk(class_node()) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return frozenset(name for name in read if hasattr(builtins, name)) | {"torch"}


def judge_shadows(tops: list[ast.stmt]) -> Iterator[Violation]:
    for top in tops:
        for node, name in bound_at_top(top):
            if name in used_by_class() and not (isinstance(node, ast.alias) and node.name == name):
                yield "policy.class", line_of(node, top), f"another {name}, which class {NAME} uses"


def bound_at_top(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The names that a statement gives to the whole file; what a function binds is its own."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node, node.name
    elif isinstance(node, ast.alias):
        yield node, node.asname or node.name.split(".")[0]
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node, node.id
    inner = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)] if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else ast.iter_child_nodes(node)
    for part in inner if not isinstance(node, ast.Lambda) else ():
        yield from bound_at_top(part)


def words_of(node: ast.AST) -> list[str]:
    """The names that a node uses or binds; attributes and keywords of calls are none."""
    if isinstance(node, ast.keyword):
        return []
    if isinstance(node, ast.alias):
        return [node.asname or node.name.split(".")[0]]
    found = [getattr(node, field, None) for field in ("id", "name", "arg", "rest")] + list(getattr(node, "names", []))
    return [word for word in found if isinstance(word, str)]


def line_of(node: ast.AST, top: ast.stmt) -> int:
    return getattr(node, "lineno", top.lineno)


def judge_kept(top: ast.stmt) -> Iterator[Violation]:
    """What the file could keep from call to call: a graph would not see that it changes."""
    if isinstance(top, (ast.Assign, ast.AnnAssign)) and not (top.value is None or is_fixed(top.value)):
        yield kept(top, "a value at the top of the file that is no constant")
    elif not isinstance(top, (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Pass)) and not is_text(top):
        yield kept(top, "a statement at the top of the file that acts")
    for node in ast.walk(top):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            yield kept(node, f"{'global' if isinstance(node, ast.Global) else 'nonlocal'} {', '.join(node.names)}")
        elif isinstance(node, FUNCTIONS):
            if not all(default is None or is_fixed(default) for default in [*node.args.defaults, *node.args.kw_defaults]):
                yield kept(node, "a default argument that is no constant")
            if isinstance(node, ast.FunctionDef) and any("cache" in word for decorator in node.decorator_list for word in spelled(decorator)):
                yield kept(node, f"answers of {node.name} that are kept")
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, (ast.Assign, ast.AnnAssign)) and not (part.value is None or is_fixed(part.value)):
                    yield kept(part, f"a value of the class {node.name} that is no constant")


def why_not(text: str) -> str:
    """Why the launches of the functions in a text must not be replayed; empty where they may."""
    tree = ast.parse(text)
    for top in tree.body:
        for _, _, what in judge_kept(top):
            return what
        if any(isinstance(node, ast.Name) and node.id == NAME for node in ast.walk(top)):
            return "the launches of a part are captured already"
        for _, _, what in judge_calls(top):
            return what
    return ""


def judge_calls(top: ast.stmt) -> Iterator[Violation]:
    """What a capture cannot hold, in host code."""
    for node in ast.walk(top) if isinstance(top, ast.FunctionDef) and not is_kernel(top) else ():
        word = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if word in UNCAPTURED:
            yield "policy.class", line_of(node, top), f"{word} draws numbers, or takes them to the GPU or from it, in every call: a capture cannot hold that"


def is_kernel(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any("jit" in spelled(decorator) for decorator in node.decorator_list)


def kept(node: ast.AST, what: str) -> Violation:
    return "policy.class", getattr(node, "lineno", 1), f"{what}: a file that captures its launches keeps nothing else from call to call"


def spelled(node: ast.expr) -> list[str]:
    return [part.id if isinstance(part, ast.Name) else part.attr for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))]


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_fixed(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "constexpr" and all(map(is_fixed, node.args)) and not node.keywords
    if isinstance(node, (ast.Tuple, ast.BinOp, ast.UnaryOp)):
        return all(is_fixed(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
    return isinstance(node, (ast.Constant, ast.Name, ast.Attribute))
