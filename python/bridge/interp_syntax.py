"""The Python inside a kernel, read as Triton's compiler reads it.

The interpreter runs a kernel's body as Python. Where Python and Triton's compiler disagree about the meaning of the same text, the body is
rewritten before it runs: `and`, `or` and `not` work elementwise on blocks and evaluate all tensor operands, a block has no truth value,
the variable of a `for ... in range(...)` is a tensor of the bounds' integer type, `min` and `max` are Triton's, `assert` does nothing (nor does
it in a kernel compiled without debug). The rewritten text calls the functions of SPELLINGS, which become attributes of the
interpreter's semantic object.
"""
from __future__ import annotations

import ast
import builtins
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


def kernel_builtin(function: Any) -> Any:
    """Python's min and max mean Triton's inside a kernel, where a tensor is among the arguments."""
    name = {builtins.min: "builtin_min", builtins.max: "builtin_max"}.get(function) if callable(function) else None
    if name is None:
        return function

    def call(*args: Any) -> Any:
        if any(isinstance(a, tl.core.tensor) for a in args):
            return getattr(tl.core, name)(*args)
        return function(*args)

    return call


SPELLINGS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (
    kernel_truth, kernel_and, kernel_or, kernel_not, kernel_range, kernel_builtin)}


def _call(target: str, args: list[ast.expr], keywords: list[ast.keyword] | None = None) -> ast.Call:
    owner = ast.Name(id="interpreter_semantic", ctx=ast.Load())
    return ast.Call(func=ast.Attribute(value=owner, attr=target, ctx=ast.Load()), args=args, keywords=keywords or [])


def _later(value: ast.expr) -> ast.expr:
    none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(args=none, body=value)


class Rewriter(interpreter.ASTTransformer):
    """Triton's own rewriting of assignments, and the rules above."""

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.value = self.visit(node.value)
        return super().visit_Assign(node)

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
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            node.func = ast.copy_location(_call("kernel_builtin", [node.func]), node.func)
        return node

    def _visit_test(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = ast.copy_location(_call("kernel_truth", [node.test]), node.test)
        return node

    visit_If = visit_While = visit_IfExp = _visit_test

    def visit_Assert(self, node: ast.Assert) -> Any:
        self.generic_visit(node)
        return ast.copy_location(ast.Expr(value=node.test), node)
