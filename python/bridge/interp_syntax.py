"""The Python inside a kernel, read as Triton's compiler reads it.

The interpreter runs a kernel's body as Python. Where Python and Triton's compiler disagree about the meaning of the same text, the body is
rewritten before it runs: `and`, `or` and `not` work elementwise on blocks and evaluate all tensor operands, a block has no truth value,
a number becomes a tensor when it is given a name (also in a tuple, by `+=`, and under any annotation but tl.constexpr), and so does what a
condition that is a tensor chooses; the variable of a `for ... in range(...)` is a tensor of the bounds' integer type, `min` and `max` are
Triton's, `assert` does nothing (nor does it in a kernel compiled without debug). The rewritten text calls the functions of SPELLINGS, which
become attributes of the interpreter's semantic object.
"""
from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter

from ka_bridge.interp_ops import Handle, np_dtype

_semantic = interpreter.interpreter_semantic


class BlockTruth(ValueError):
    """A block of values was used where a single truth value is needed."""


def kernel_truth(value: Any) -> Any:
    """What `if`, `while` and the conditional expression test: the compiler refuses blocks there."""
    if isinstance(value, tl.core.tensor) and value.handle.data.size != 1:
        shape = list(value.handle.data.shape)
        raise BlockTruth(f"a block of shape {shape} has no single truth value: use tl.where, or &, | and ~ on masks")
    return value


def _join(method: str, stops_at: bool, operands: tuple[Callable[[], Any], ...]) -> Any:
    """Python values may end the evaluation early, tensors never do; tensors are joined from the right."""
    tensors: list[Any] = []
    value: Any = None
    for operand in operands:
        value = operand()
        if isinstance(value, tl.core.tensor):
            tensors.append(value)
        elif bool(value) is stops_at:
            return value
    if not tensors:
        return value
    result = tensors.pop()
    while tensors:
        result = getattr(tensors.pop(), method)(result)
    return result


def kernel_and(*operands: Callable[[], Any]) -> Any:
    return _join("logical_and", False, operands)


def kernel_or(*operands: Callable[[], Any]) -> Any:
    return _join("logical_or", True, operands)


def kernel_not(value: Any) -> Any:
    if isinstance(value, tl.core.tensor) and value.type.scalar == tl.int1:
        return value.__not__()
    return not value


def _integer_type(bounds: list[Any]) -> Any:
    types = [b.type.scalar for b in map(_semantic.to_tensor, bounds)]
    for dtype in types:
        if not dtype.is_int():
            raise TypeError(f"the bounds of a range must be integers, not {dtype}")
    out = types[0]
    for dtype in types[1:]:
        out = _semantic.integer_promote_impl(out, dtype)
    return out


def kernel_range(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A for loop's iterator: tensors for range and tl.range, whatever it is for anything else."""
    if function is builtins.range or function is tl.range:
        step = kwargs.get("step")
        bounds = [b for b in (*args, step) if b is not None]
        return _counting(range(*(int(b) for b in args), *([] if step is None else _step_after(args, step))), _integer_type(bounds))
    return function(*args, **kwargs)


def _step_after(args: tuple[Any, ...], step: Any) -> list[int]:
    return [int(step)] if len(args) >= 2 else []


def _counting(values: range, dtype: Any) -> Iterator[Any]:
    storage = np_dtype(dtype)
    for value in values:
        yield tl.core.tensor(Handle(np.array([value], dtype=storage), dtype), dtype)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value


def _is_instance(value: Any, kinds: Any) -> bool:
    """Constants are unwrapped, and a tuple is Triton's."""
    kinds = tuple(kinds) if isinstance(kinds, (tuple, list, tl.core.tuple)) else (kinds,)
    return isinstance(_plain(value), kinds) or (isinstance(value, tuple) and tl.core.tuple in kinds)


def kernel_builtin(function: Any) -> Any:
    """Python's min and max mean Triton's inside a kernel, where a tensor is among the arguments."""
    if function is builtins.isinstance:
        return _is_instance
    name = {builtins.min: "builtin_min", builtins.max: "builtin_max"}.get(function) if callable(function) else None
    if name is None:
        return function

    def call(*args: Any) -> Any:
        if any(isinstance(a, tl.core.tensor) for a in args):
            return getattr(tl.core, name)(*args)
        return function(*args)

    return call


def kernel_named(value: Any) -> Any:
    """What an assignment binds: numbers become tensors, each element of a tuple on its own."""
    if type(value) is tl.core.tensor:
        return value
    if isinstance(value, (tuple, list, tl.core.tuple)):
        items = [kernel_named(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tl.core.tuple(items) if isinstance(value, tl.core.tuple) else tuple(items)
    return _semantic.to_tensor(value, False)


def kernel_annotated(annotation: Any, value: Any) -> Any:
    """`name: annotation = value`: only tl.constexpr keeps a constant."""
    return value if annotation is tl.constexpr else kernel_named(value)


def kernel_choice(test: Any, chosen: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """`chosen if test else otherwise`"""
    value = chosen() if kernel_truth(test) else otherwise()
    return _semantic.to_tensor(value, False) if isinstance(test, tl.core.tensor) else value


def kernel_same(left: Any, right: Any) -> bool:
    """`left is right`"""
    return _plain(left) is _plain(right)


def kernel_value(owner: Any) -> Any:
    """`owner.value`: a constant knows its value, also where the interpreter holds a plain number."""
    return owner.value if hasattr(owner, "value") else owner


def kernel_branch(taken: list[Any], test: Any) -> Any:
    """The test of an `if` that may return: what a function returns under a test that is a tensor is a tensor."""
    if isinstance(test, tl.core.tensor):
        taken.append(test)
    return kernel_truth(test)


def kernel_result(taken: list[Any], value: Any, *others: Callable[[], Any]) -> Any:
    """`return value`; `others` are the simple values that the function's other returns name. Equal constants stay a constant."""
    if not taken:
        return value
    try:
        if not isinstance(value, tl.core.tensor) and len(others) and all(bool(_plain(other()) == _plain(value)) for other in others):
            return value
    except (NameError, TypeError, ValueError, ArithmeticError):
        pass
    return kernel_named(value)


SPELLINGS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (
    kernel_truth, kernel_and, kernel_or, kernel_not, kernel_range, kernel_builtin, kernel_named,
    kernel_annotated, kernel_choice, kernel_same, kernel_value, kernel_branch, kernel_result)}


def _call(target: str, args: list[ast.expr], keywords: list[ast.keyword] | None = None) -> ast.Call:
    owner = ast.Name(id="interpreter_semantic", ctx=ast.Load())
    return ast.Call(func=ast.Attribute(value=owner, attr=target, ctx=ast.Load()), args=args, keywords=keywords or [])


# What a returned expression may consist of to be evaluated although another one is returned.
_SIMPLE = (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
_TAKEN = "interpreter_semantic_taken"


def _taken() -> ast.expr:
    return ast.Name(id=_TAKEN, ctx=ast.Load())


def _later(value: ast.expr) -> ast.expr:
    none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(args=none, body=value)


class Rewriter(interpreter.ASTTransformer):
    """The rules above, in place of Triton's own rewriting of assignments."""

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        if len(node.targets) > 1:
            raise ValueError("Multiple assignments are not supported")
        node.value = ast.copy_location(_call("kernel_named", [node.value]), node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        value = _call("kernel_annotated", [node.annotation, self.visit(node.value)])
        return ast.copy_location(ast.Assign(targets=[node.target], value=ast.copy_location(value, node)), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        joined = ast.BinOp(left=ast.Name(id=node.target.id, ctx=ast.Load()), op=node.op, right=self.visit(node.value))
        value = _call("kernel_named", [ast.copy_location(joined, node)])
        return ast.copy_location(ast.Assign(targets=[node.target], value=ast.copy_location(value, node)), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        self.generic_visit(node)
        target = "kernel_and" if isinstance(node.op, ast.And) else "kernel_or"
        return ast.copy_location(_call(target, [_later(v) for v in node.values]), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        return ast.copy_location(_call("kernel_not", [node.operand]), node) if isinstance(node.op, ast.Not) else node

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        loop = node.iter
        if isinstance(loop, ast.Call) and getattr(loop.func, "attr", getattr(loop.func, "id", "")) == "range":
            node.iter = ast.copy_location(_call("kernel_range", [loop.func, *loop.args], loop.keywords), loop)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max", "isinstance"):
            node.func = ast.copy_location(_call("kernel_builtin", [node.func]), node.func)
        return node

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        node.test = ast.copy_location(_call("kernel_truth", [node.test]), node.test)
        return node

    def visit_If(self, node: ast.If) -> Any:
        may_return = any(isinstance(inner, ast.Return) and inner.value is not None for inner in ast.walk(node))
        self.generic_visit(node)
        test = _call("kernel_branch", [_taken(), node.test]) if may_return else _call("kernel_truth", [node.test])
        node.test = ast.copy_location(test, node.test)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        returns = [inner for inner in ast.walk(node) if isinstance(inner, ast.Return) and inner.value is not None]
        node.body = [self.visit(statement) for statement in node.body]
        if not returns:
            return node
        values = [statement.value for statement in returns]
        simple = all(isinstance(part, _SIMPLE) for value in values for part in ast.walk(value))
        for statement in returns:
            others = [_later(copy.deepcopy(value)) for value in values if value is not statement.value] if simple else []
            statement.value = ast.copy_location(_call("kernel_result", [_taken(), statement.value, *others]), statement.value)
        first = ast.Assign(targets=[ast.Name(id=_TAKEN, ctx=ast.Store())], value=ast.List(elts=[], ctx=ast.Load()))
        node.body.insert(0, ast.copy_location(first, node.body[0]))
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return node
        same = ast.copy_location(_call("kernel_same", [node.left, node.comparators[0]]), node)
        return same if isinstance(node.ops[0], ast.Is) else ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=same), node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        return ast.copy_location(_call("kernel_value", [node.value]), node) if node.attr == "value" and isinstance(node.ctx, ast.Load) else node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        return ast.copy_location(_call("kernel_choice", [node.test, _later(node.body), _later(node.orelse)]), node)

    def visit_Assert(self, node: ast.Assert) -> Any:
        self.generic_visit(node)
        return ast.copy_location(ast.Expr(value=node.test), node)
