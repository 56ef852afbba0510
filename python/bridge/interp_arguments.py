"""A launch's arguments as the compiler would bind them, for the interpreter.

Triton's launcher makes constants of `None` and of every integer that is 1 (also inside tuples): such an argument can be a shape, decides
an `if` before the kernel runs, and `isinstance(one, int)` is true of it. An argument with a declared type (`n: tl.int64`) has that type whatever its
value. The interpreter knows neither, so a kernel could tell by either that it is being interpreted.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.runtime import interpreter

_NUMBERS = (bool, int, float)


def _bound(value: Any, may_be_constant: bool) -> Any:
    if isinstance(value, tl.constexpr):
        return value.value
    if type(value) is not bool and isinstance(value, int) and value == 1 and may_be_constant:
        return 1
    if isinstance(value, tuple):
        items = [_bound(item, may_be_constant) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return interpreter._implicit_cvt(value)


def _declared(value: Any, name: str) -> Any:
    """A number of a declared type; the launcher hands a float over as such and refuses an integer that does not fit."""
    dtype = tl.str_to_ty(name, None)
    number = bool(value) if name == "u1" else float(value) if dtype.is_floating() else int(value)
    if dtype.is_int() and name != "u1":
        bits = dtype.int_bitwidth
        low = -(1 << bits - 1) if dtype.is_int_signed() else 0
        if not low <= number < low + (1 << bits):
            raise OverflowError(f"the integer {number} does not fit in the declared type {dtype}")
    plain = interpreter._implicit_cvt(number)
    return plain if plain.type == dtype else interpreter.interpreter_semantic.cast(_widest(number), dtype)


def _widest(number: Any) -> Any:
    """The number as a tensor that loses nothing of it."""
    semantic = interpreter.interpreter_semantic
    if isinstance(number, float):
        return semantic.scalar_constant(number, tl.float64)
    return semantic.scalar_constant(number, tl.int64 if number < 2**63 else tl.uint64)


def as_compiled(params: list[Any], bound: dict[str, Any]) -> dict[str, Any]:
    """What the kernel's parameters hold while it runs, by name; nothing of it is to be converted again."""
    out = {}
    for param in params:
        value = bound[param.name]
        declared = getattr(param, "annotation_type", "")
        if param.is_constexpr:
            out[param.name] = value
        elif declared and not declared.startswith("*") and type(value) in _NUMBERS:
            out[param.name] = _declared(value, declared)
        else:
            out[param.name] = _bound(value, not (param.do_not_specialize or declared))
    return out
