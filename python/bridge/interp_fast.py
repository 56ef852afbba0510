"""Operators between integers, masks and pointers in the CPU interpreter, without asking the same question twice.

A kernel computes addresses and masks with the same few pairs of types over and over. Triton's interpreter finds out at every operation
what the operands are converted to, makes both whole blocks, and builds the type of the result: some forty microseconds of Python for a few of
numpy. Here the first operation between two types goes the whole way, and what came out (or that it raised) decides; later ones go straight
to numpy. Covered are int32 and int64 (wrapping, as before), masks of int1, a pointer plus a number, loads under a mask, and float operations
between blocks of one shape; floats, loads and divisions still go through the builder's methods, which others replace for some calls.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter

from ka_bridge.interp_ops import Handle, np_dtype

MOST_RECIPES = 4096  # per operator: constants count, and a kernel may have many
INTEGERS = ("int32", "int64")
FLOATS = ("fp32", "fp64")
_BLOCKS_SEEN: dict[Any, str] = {}


def token_of(key: Any) -> str:
    """A short name for a block type, by what it consists of."""
    return _BLOCKS_SEEN.setdefault(key, f"#{len(_BLOCKS_SEEN)}")


class Recipe:
    """What to do with the data of two operands, and everything about the result but its data."""

    def __init__(self, run: Callable[[Any, Any], Any], out: Any) -> None:
        self.run = run
        self.block = out.handle.data.shape if isinstance(out.type, tl.block_type) else None
        self.handle_dtype = out.handle.dtype
        self.of_tensor = {"type": out.type, "dtype": out.dtype, "shape": out.shape, "numel": out.numel}


def _direct(ufunc: Any, target: np.dtype, constant: int | None, swapped: bool) -> Callable[[Any, Any], Any]:
    """Both operands as `target`, then numpy, which broadcasts as Triton does."""
    if constant is not None:
        number = np.array([constant], dtype=target)
        if swapped:
            return lambda lhs, _: ufunc(number, lhs.handle.data)
        return lambda lhs, _: ufunc(lhs.handle.data, number)

    def run(lhs: Any, rhs: Any) -> np.ndarray:
        return ufunc(lhs.handle.data.astype(target, copy=False), rhs.handle.data.astype(target, copy=False))

    return run


def _through_builder(method: str, target: np.dtype, dtype: Any, constant: int | None) -> Callable[[Any, Any], Any]:
    """A division by one number: what it gives by zero depends on how the call is computed."""
    number = None if constant is None else Handle(np.array([constant], dtype=target), dtype)

    def run(lhs: Any, rhs: Any) -> np.ndarray:
        left = Handle(lhs.handle.data.astype(target, copy=False), dtype)
        right = number or Handle(rhs.handle.data.astype(target, copy=False), dtype)
        return getattr(interpreter.interpreter_builder, method)(left, right).data

    return run


def _address(element: Any, constant: int | None) -> Callable[[Any, Any], Any]:
    width = np.uint64(max(1, element.primitive_bitwidth // 8))
    if constant is not None:
        step = width * np.array([constant], dtype=np.int64).astype(np.uint64)
        return lambda lhs, _: lhs.handle.data + step
    return lambda lhs, rhs: lhs.handle.data + width * rhs.handle.data.astype(np.uint64)


def _is_scalar(operand: Any) -> bool:
    return not isinstance(operand.type, tl.block_type)


def recipe_for(row: Row, self: Any, other: Any, out: Any) -> Recipe | None:
    """The short way to what came out; None where there is none."""
    left, constant = self.dtype, other if isinstance(other, int) else None
    right = left if constant is not None and left.name in INTEGERS else getattr(other, "dtype", tl.int32)
    if isinstance(left, tl.pointer_type):
        fits = row.name in ("add", "radd") and right.name in INTEGERS and (constant is None or -2**31 <= constant < 2**31)
        return Recipe(_address(left.element_ty, constant), out) if fits else None
    if left.name in INTEGERS and right.name in INTEGERS:
        dtype = tl.int64 if "int64" in (left.name, right.name) else tl.int32
        target = np_dtype(dtype)
        if row.divides:
            single = constant is not None or _is_scalar(other)
            return Recipe(_through_builder(row.method, target, dtype, constant), out) if single else None
        return Recipe(_direct(row.ufunc, target, constant, row.name.startswith("r")), out)
    if left.name == right.name == "int1" and row.name in ("and", "or", "xor") and constant is None:
        return Recipe(_direct(row.ufunc, np.dtype(bool), None, False), out)
    return None


class Row:
    """One operator of tl.tensor."""

    def __init__(self, name: str, ufunc: Any, method: str = "") -> None:
        self.name, self.ufunc, self.method = name, ufunc, method
        self.divides = bool(method) and ufunc is None
        self.floats = bool(method) and ufunc is not None


ROWS = [Row("add", np.add, "create_fadd"), Row("radd", np.add), Row("sub", np.subtract, "create_fsub"), Row("rsub", np.subtract),
        Row("mul", np.multiply, "create_fmul"), Row("rmul", np.multiply), Row("floordiv", None, "create_sdiv"), Row("mod", None, "create_srem"),
        Row("and", np.bitwise_and), Row("or", np.bitwise_or), Row("xor", np.bitwise_xor), Row("lt", np.less), Row("le", np.less_equal),
        Row("gt", np.greater), Row("ge", np.greater_equal), Row("eq", np.equal), Row("ne", np.not_equal)]
_new_handle, _new_tensor = Handle.__new__, tl.core.tensor.__new__


def _made(data: np.ndarray, recipe: Recipe) -> Any:
    """The result, without the checks that the first one has passed."""
    handle = _new_handle(Handle)
    handle.data, handle.dtype, handle.attr = data, recipe.handle_dtype, {}
    out = _new_tensor(tl.core.tensor)
    vars(out).update(recipe.of_tensor)
    out.handle = handle
    return out


def _operator(row: Row, original: Callable[..., Any], launch: Any) -> Callable[..., Any]:
    recipes: dict[tuple[Any, Any], Recipe | None] = {}
    unknown = object()

    def operator(self: Any, other: Any, **kwargs: Any) -> Any:
        if type(other) is tl.constexpr:
            other = other.value
        if type(other) is tl.core.tensor:
            kind = other.type
            right = vars(kind).get("token") or kind.name
        elif type(other) is int:
            right = other
        else:
            return original(self, other, **kwargs)
        if kwargs or launch.semantic is None:
            return original(self, other, **kwargs)
        kind = self.type
        left = vars(kind).get("token") or kind.name
        recipe = recipes.get((left, right), unknown)
        if recipe is unknown:
            return learn((left, right), self, other)
        if recipe is None:
            if row.floats and left == right and self.dtype.name in FLOATS:
                made = getattr(interpreter.interpreter_builder, row.method)(self.handle, other.handle)
                return tl.core.tensor(made, kind)
            return original(self, other)
        data = recipe.run(self, other)
        if recipe.block is not None and data.shape != recipe.block:
            return original(self, other)
        return _made(data, recipe)

    def learn(key: tuple[Any, Any], self: Any, other: Any) -> Any:
        out = original(self, other)
        if len(recipes) >= MOST_RECIPES:
            recipes.clear()
        recipes[key] = recipe_for(row, self, other, out)
        return out

    operator.bound_to_interpreter = True  # type: ignore[attr-defined]
    return operator


def _loader(original: Callable[..., Any], launch: Any) -> Callable[..., Any]:
    """tl.load of a block of pointers under a mask, with a number for the rest."""
    recipes: dict[tuple[Any, ...], tuple[Recipe, Any] | None] = {}
    unknown = object()

    @functools.wraps(original)
    def load(pointer: Any, mask: Any = None, other: Any = None, *rest: Any, **kwargs: Any) -> Any:
        if rest or kwargs or type(pointer) is not tl.core.tensor or type(mask) is not tl.core.tensor or type(other) not in (int, float) \
                or launch.semantic is None:
            return original(pointer, mask, other, *rest, **kwargs)
        kinds = vars(pointer.type).get("token"), vars(mask.type).get("token")
        key = (*kinds, type(other), other)
        found = recipes.get(key, unknown)
        if found is unknown:
            out = original(pointer, mask, other)
            if len(recipes) >= MOST_RECIPES:
                recipes.clear()
            recipes[key] = learnt(pointer, mask, other, out) if None not in kinds and other == other else None
            return out
        if found is None:
            return original(pointer, mask, other)
        recipe, fill = found
        lanes = np.broadcast_to(mask.handle.data, recipe.block)
        semantic = launch.semantic
        made = semantic.builder.create_masked_load(pointer.handle, Handle(lanes, tl.int1), fill, semantic._str_to_load_cache_modifier(""),
                                                   semantic._str_to_eviction_policy(""), False)
        return _made(made.data, recipe)

    def learnt(pointer: Any, mask: Any, other: Any, out: Any) -> tuple[Recipe, Any] | None:
        element, shape = pointer.dtype.element_ty, pointer.handle.data.shape
        # a constant is a float32 first
        exact = element.name == "fp32" or element.name == "fp64" and float(np.float32(other)) == other or element.name in INTEGERS and type(other) is int
        if not exact or mask.dtype.name != "int1" or out.handle.data.shape != shape:
            return None
        # as Triton's constants: -0.0 is 0.0
        return Recipe(lambda *_: None, out), Handle(np.full(shape, other or 0).astype(np_dtype(element)), element)

    return load


def install(launch: Any) -> None:
    """To be called once the language is bound. `launch` tells whether a kernel is running."""
    tl.load = tl.core.load = _loader(tl.core.load, launch)
    for row in ROWS:
        name = f"__{row.name}__"
        setattr(tl.core.tensor, name, _operator(row, getattr(tl.core.tensor, name), launch))
