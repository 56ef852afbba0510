"""The same kernel, computed as a GPU may compute it: other roundings, other orders, other answers where none is defined.

The interpreter rounds every operation to nearest and adds in one fixed order. Compiled code does not: a product that goes into a sum is
fused with it, division and the elementary functions are approximations, sums are taken in the order of a layout, lanes that change one
place by atomics come in any order, integer division by zero and shifts beyond the width give whatever the hardware gives. A kernel that is
right must be right either way; one that looks for such a difference, to tell a judge from a GPU, or relies on it by mistake, is not.

    with rounding.other():        # around one call of the candidate
        ...

While it is on: a*b+c is rounded once (unless the launch says enable_fp_fusion=False); `/`, exp, log, sin, sqrt and their like, and the
wide functions of libdevice, give the other of the two numbers next to an inexact result; tl.sum, tl.cumsum and tl.dot add in another order;
NaN has the bits of the GPU's. Exact results stay as they are, so that what must be exact (integers in floats, powers of two) is.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from triton.runtime import interpreter

from ka_bridge import interp_libdevice, interp_numeric, interp_reduce
from ka_bridge.interp_formats import STORAGE
from ka_bridge.interp_ops import Handle, numbers, of_numbers

Array = np.ndarray
Method = Callable[..., Any]
_WIDER = {np.dtype(np.float16): np.float32, np.dtype(np.float32): np.float64, np.dtype(np.float64): np.longdouble}
_NAN_BITS = {2: np.uint16(0x7FFF), 4: np.uint32(0x7FFFFFFF), 8: np.uint64(0x7FFFFFFFFFFFFFFF)}
_PRECISE = ("_rn", "_rz", "_rd", "_ru")  # functions that promise a rounding


class _Options:
    fuses = True


def fuses(allowed: Any) -> None:
    """To be told before a launch: its option enable_fp_fusion."""
    _Options.fuses = allowed is None or bool(allowed)


def neighbour(exact: Array, rounded: Array) -> Array:
    """`rounded` where it is exact, else the number on the other side of `exact`; small and infinite numbers stay."""
    other = np.nextafter(rounded, np.where(exact > rounded, np.inf, -np.inf).astype(rounded.dtype))
    smallest = np.finfo(rounded.dtype).smallest_normal
    keep = (exact == rounded) | ~np.isfinite(other) | ~np.isfinite(rounded) | (np.abs(other) <= smallest) | (np.abs(rounded) <= smallest)
    return np.where(keep, rounded, other)


def _with_factors(original: Method) -> Method:
    def create_fmul(self: Any, lhs: Any, rhs: Any) -> Any:
        result = original(self, lhs, rhs)
        if _Options.fuses:
            result.attr["factors"] = (lhs.data, rhs.data)
        return result

    return create_fmul


def _carried(original: Method, at: int) -> Method:
    """Changes of shape between a product and the sum it goes into; `at` is the operand's place."""

    def run(self: Any, *args: Any) -> Any:
        result = original(self, *args)
        arg = args[at]
        factors = arg.attr.get("factors")
        if factors is not None:
            dtype = arg.dtype
            result.attr["factors"] = tuple(original(self, *args[:at], Handle(f, dtype), *args[at + 1:]).data for f in factors)
        return result

    return run


def _fused(original: Method, sign: int) -> Method:
    def run(self: Any, lhs: Any, rhs: Any) -> Any:
        left, right = lhs.attr.get("factors"), rhs.attr.get("factors")
        if left is None and right is None:
            return original(self, lhs, rhs)
        dtype = lhs.dtype.scalar
        a, b = (numbers(Handle(f, dtype)) for f in (left if left is not None else right))
        wide = _WIDER[a.dtype] if dtype.name not in STORAGE else np.float64
        product = a.astype(wide) * b.astype(wide)
        if left is not None:
            total = product + sign * numbers(rhs).astype(wide)
        else:
            total = numbers(lhs).astype(wide) + sign * product
        return of_numbers(total if dtype.name not in STORAGE else total.astype(np.float32), dtype)

    return run


def _approximate(original: Method, function: Callable[..., Array], flushes: bool = False) -> Method:
    def run(self: Any, *args: Any) -> Any:
        result = original(self, *args)
        data = [a.data for a in args]
        if any(d.dtype not in (np.float32, np.float64) for d in data):
            return result
        if flushes:
            data = [interp_numeric.flush(d) for d in data]
        exact = function(*(d.astype(_WIDER[d.dtype]) for d in data))
        return Handle(interp_numeric.flush(neighbour(exact, result.data)), result.dtype)

    return run


def _signed_zero(original: Method, sign: int) -> Method:
    """Of 0.0 and -0.0 the positive one is the larger, whichever comes first."""

    def run(self: Any, lhs: Any, rhs: Any) -> Any:
        result = original(self, lhs, rhs)
        if result.data.dtype.kind != "f" or not (zeros := (lhs.data == 0) & (rhs.data == 0)).any():
            return result
        return Handle(np.where(zeros, sign * (sign * lhs.data + sign * rhs.data), result.data), result.dtype)

    return run


def _undefined(original: Method, defined: Callable[[Array, Array], Array], instead: Callable[[Array], Array]) -> Method:
    """Integer operations that have no answer for some right operands."""

    def run(self: Any, lhs: Any, rhs: Any) -> Any:
        result = original(self, lhs, rhs)
        has_answer = defined(lhs.data, rhs.data)
        if has_answer.all():
            return result
        return Handle(np.where(has_answer, result.data, instead(lhs.data).astype(result.data.dtype)), result.dtype)

    return run


def _within_width(lhs: Array, rhs: Array) -> Array:
    return (rhs >= 0) & (rhs < 8 * lhs.dtype.itemsize)


def _narrow_integer(original: Method) -> Method:
    """Floats beyond the range of an 8-bit integer."""

    def run(self: Any, source: Any, target: Any) -> Any:
        result = original(self, source, target)
        if result.data.dtype.itemsize > 1 or result.data.dtype.kind not in "iu":
            return result
        limits, values = np.iinfo(result.data.dtype), np.trunc(numbers(source))
        inside = (values >= limits.min) & (values <= limits.max)
        return result if inside.all() else Handle(np.where(inside, result.data, ~result.data), result.dtype)

    return run


def _gpu_nan(data: Array) -> Array:
    if data.dtype.kind != "f" or not (unknown := np.isnan(data)).any():
        return data
    bits = np.ascontiguousarray(data).view(f"uint{8 * data.itemsize}")
    return np.where(unknown, _NAN_BITS[data.itemsize], bits).view(data.dtype)


def _bits_of_nan(original: Method, at: int) -> Method:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        value = args[at]
        if isinstance(value, Handle):
            args = (*args[:at], Handle(_gpu_nan(value.data), value.dtype), *args[at + 1:])
        return original(self, *args, **kwargs)

    return run


def _flip(value: Any) -> Any:
    flipped = np.ascontiguousarray(np.flip(value.data if isinstance(value, Handle) else value))
    return Handle(flipped, value.dtype) if isinstance(value, Handle) else flipped


def _last_lane_first(original: Method) -> Method:
    def create_atomic_rmw(self: Any, operation: Any, pointers: Any, value: Any, mask: Any, *rest: Any) -> Any:
        if pointers.data.size < 2 or value.data.shape != pointers.data.shape:
            return original(self, operation, pointers, value, mask, *rest)
        result = original(self, operation, *(_flip(x) for x in (pointers, value, mask)), *rest)
        return _flip(result)

    return create_atomic_rmw


def _last_product_first(original: Method) -> Method:
    def create_dot(self: Any, a: Any, b: Any, *rest: Any) -> Any:
        return original(self, Handle(a.data[..., ::-1], a.dtype), Handle(b.data[..., ::-1, :], b.dtype), *rest)

    return create_dot


_MINUS_ONE: Callable[[Array], Array] = lambda lhs: np.full(lhs.shape, -1, dtype=np.int64)
_ITSELF: Callable[[Array], Array] = lambda lhs: lhs
_NOT_ZERO: Callable[[Array, Array], Array] = lambda lhs, rhs: np.broadcast_to(rhs != 0, lhs.shape)

_CHANGES: dict[str, Callable[[Method], Method]] = {
    "fmul": _with_factors,
    "fadd": lambda f: _fused(f, 1),
    "fsub": lambda f: _fused(f, -1),
    **{name: lambda f: _signed_zero(f, 1) for name in ("maxnumf", "maximumf")},
    **{name: lambda f: _signed_zero(f, -1) for name in ("minnumf", "minimumf")},
    "splat": lambda f: _carried(f, 1),
    **{name: lambda f: _carried(f, 0) for name in ("broadcast", "reshape", "expand_dims", "trans")},
    "fdiv": lambda f: _approximate(f, np.divide),
    "sqrt": lambda f: _approximate(f, np.sqrt, True),
    "rsqrt": lambda f: _approximate(f, lambda x: 1 / np.sqrt(x), True),
    "erf": lambda f: _approximate(f, lambda x: interp_numeric.erf(x.astype(np.float64))),
    **{name: lambda f, name=name: _approximate(f, getattr(np, name)) for name in ("exp", "exp2", "log", "log2", "sin", "cos")},
    **{name: lambda f: _undefined(f, _NOT_ZERO, _MINUS_ONE) for name in ("sdiv", "udiv")},
    **{name: lambda f: _undefined(f, _NOT_ZERO, _ITSELF) for name in ("srem", "urem")},
    **{name: lambda f: _undefined(f, _within_width, _MINUS_ONE) for name in ("shl", "lshr", "ashr")},
    **{name: _narrow_integer for name in ("fp_to_si", "fp_to_ui")},
    "bitcast": lambda f: _bits_of_nan(f, 0),
    "masked_store": lambda f: _bits_of_nan(f, 1),
    "atomic_rmw": _last_lane_first,
    "dot": _last_product_first,
}


def _wide_result(symbol: str, out: Array, result: np.dtype) -> Array:
    """What libdevice's functions that are computed in float64 give."""
    rounded = out.astype(result)
    if out.dtype != np.float64 or result != np.float32 or symbol.endswith(_PRECISE):
        return rounded
    return neighbour(out, rounded)


@contextmanager
def other() -> Iterator[None]:
    """While active, interpreted kernels compute as described above."""
    builder = interpreter.InterpreterBuilder
    saved = {f"create_{name}": getattr(builder, f"create_{name}") for name in _CHANGES if hasattr(builder, f"create_{name}")}
    rounds, trees = interp_libdevice.ROUND[0], interp_reduce.IN_TREES[0]
    for name, original in saved.items():
        setattr(builder, name, _CHANGES[name.removeprefix("create_")](original))
    interp_libdevice.ROUND[0], interp_reduce.IN_TREES[0] = _wide_result, True
    try:
        yield
    finally:
        for name, original in saved.items():
            setattr(builder, name, original)
        interp_libdevice.ROUND[0], interp_reduce.IN_TREES[0] = rounds, trees
