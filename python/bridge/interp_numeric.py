"""Numeric routines behind interp_libdevice that numpy lacks: directed rounding, C library functions, error and Bessel functions."""
from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import platform
from collections.abc import Callable, Iterator

import numpy as np

Array = np.ndarray
_ROUNDING: dict[str, dict[str, int]] = {
    "x86_64": {"rn": 0, "rd": 0x400, "ru": 0x800, "rz": 0xC00},
    "aarch64": {"rn": 0, "ru": 0x400000, "rd": 0x800000, "rz": 0xC00000},
}


@functools.cache
def _libm() -> ctypes.CDLL:
    """The C math library. It is loaded with the interpreter already, so no file is opened for it."""
    own = ctypes.CDLL(None)
    return own if hasattr(own, "lgamma") else ctypes.CDLL("libm.so.6")


@contextlib.contextmanager
def rounding(mode: str) -> Iterator[None]:
    """The processor rounds toward "rn" nearest, "rz" zero, "rd" minus infinity, "ru" plus infinity: numpy's loops obey it."""
    values = _ROUNDING.get(platform.machine())
    if values is None:
        raise NotImplementedError(f"directed rounding is not known for the processor {platform.machine()}")
    _libm().fesetround(values[mode])
    try:
        yield
    finally:
        _libm().fesetround(values["rn"])


def rounded(mode: str, function: Callable[..., Array]) -> Callable[..., Array]:
    if mode == "rn":
        return function

    def run(*args: Array) -> Array:
        with rounding(mode):
            return function(*args)

    return run


def each(function: Callable[..., float], *args: Array) -> Array:
    """function over all elements, one by one: for functions that exist in C only."""
    lists = (np.ravel(a).tolist() for a in args)
    return np.fromiter(map(function, *lists), np.float64, args[0].size).reshape(args[0].shape)


def c_function(name: str, first_is_int: bool = False) -> Callable[..., Array]:
    """The C library's double function `name`, elementwise. Unlike Python's math module it answers inf or nan instead of raising."""

    @functools.cache
    def load(count: int) -> Callable[..., float]:
        function = ctypes.CFUNCTYPE(ctypes.c_double, *([ctypes.c_int if first_is_int else ctypes.c_double] + [ctypes.c_double] * (count - 1)))
        return function((name, _libm()))

    return lambda *args: each(load(len(args)), *args)


def erf(x: Array) -> Array:
    return each(math.erf, x)


def erfc(x: Array) -> Array:
    return each(math.erfc, x)


def erfcx(x: Array) -> Array:
    """exp(x*x) * erfc(x). From 10 on by the asymptotic series, since erfc itself underflows at 27."""
    near = np.exp(x * x) * erfc(x)
    inverse = 1 / (2 * x * x)
    term, series = np.ones_like(x), np.ones_like(x)
    for k in range(1, 16):
        term = -term * (2 * k - 1) * inverse
        series = series + term
    return np.where(x >= 10, series / (x * math.sqrt(math.pi)), near)


def erfcinv(q: Array) -> Array:
    """The x with erfc(x) = q: a rough start for the tail, then Newton steps on logarithms; near 1 through erfinv, where 1 - q is exact."""
    tail = np.minimum(q, 2 - q)
    goal = np.log(tail)
    t = np.sqrt(2 * (math.log(2) - goal))
    x = (t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t))) / math.sqrt(2)
    for _ in range(5):
        scaled = erfcx(x)
        x = x + (np.log(scaled) - x * x - goal) * scaled * (math.sqrt(math.pi) / 2)
    x = np.where(q > 1, -x, x)
    x = np.where((q >= 0.5) & (q <= 1.5), _erfinv_centre(1 - np.clip(q, 0.5, 1.5)), x)
    x = np.where(q == 0, np.inf, np.where(q == 2, -np.inf, x))
    return np.where((q < 0) | (q > 2) | np.isnan(q), np.nan, x)


def _erfinv_centre(y: Array) -> Array:
    """erfinv for |y| <= 0.5."""
    x = y * (math.sqrt(math.pi) / 2)
    for _ in range(5):
        error = erf(x) - y
        x = x - error / (2 / math.sqrt(math.pi) * np.exp(-x * x) + x * error)
    return x


def erfinv(y: Array) -> Array:
    size = np.abs(y)
    inner = _erfinv_centre(np.clip(np.nan_to_num(y), -0.5, 0.5))
    outer = np.copysign(erfcinv(1 - size), y)
    return np.where(size <= 0.5, inner, np.where(size <= 1, outer, np.nan))


def bessel_i(order: int, x: Array) -> Array:
    """Modified Bessel function of the first kind, order 0 or 1: the power series up to 30, then the asymptotic series."""
    size = np.abs(x)
    half = np.minimum(size, 30.0) / 2
    term = np.ones_like(half) if order == 0 else half.copy()
    series = term.copy()
    for k in range(1, 80):
        term = term * half * half / (k * (k + order))
        series = series + term
    large = np.clip(size, 30.0, 800.0)  # from 714 on the answer is inf
    ratio, tail = np.ones_like(large), np.ones_like(large)
    for k in range(1, 30):
        ratio = -ratio * (4 * order * order - (2 * k - 1) ** 2) / (8 * k * large)
        tail = tail + ratio
    grown = np.exp(large / 2)
    far = grown / np.sqrt(2 * math.pi * large) * tail * grown
    out = np.where(size < 30, series, np.where(size > 714, np.inf, far))
    return np.where(np.isnan(x), np.nan, out if order == 0 else np.copysign(out, x))


def half_turns(x: Array) -> tuple[Array, Array]:
    """(quadrant 0..3, rest in [-1/4, 1/4]) with x = quadrant / 2 + rest modulo 2, exactly."""
    reduced = np.fmod(x, 2.0)
    quadrant = np.rint(2 * reduced)
    return np.mod(np.nan_to_num(quadrant), 4).astype(np.int64), reduced - quadrant / 2


def sinpi(x: Array) -> Array:
    quadrant, rest = half_turns(x)
    sine, cosine = np.sin(math.pi * rest), np.cos(math.pi * rest)
    out = np.choose(quadrant, [sine, cosine, -sine, -cosine])
    return np.where(np.isfinite(x), np.where(out == 0, np.copysign(0.0, x), out), np.nan)


def cospi(x: Array) -> Array:
    quadrant, rest = half_turns(x)
    sine, cosine = np.sin(math.pi * rest), np.cos(math.pi * rest)
    out = np.choose(quadrant, [cosine, -sine, -cosine, sine])
    return np.where(np.isfinite(x), out + 0.0, np.nan)


_SMALLEST_NORMAL = np.finfo(np.float32).tiny


def flush(x: Array) -> Array:
    """Subnormal float32 numbers become zeros of the same sign; other types are left alone."""
    if x.dtype != np.float32:
        return x
    small = np.abs(x) < _SMALLEST_NORMAL
    return np.where(small, np.copysign(np.float32(0), x), x) if small.any() else x


def to_integer(x: Array, bits: int, signed: bool) -> Array:
    """A rounded float -> an integer, saturating, as cvt does; NaN gives 0 (32 bits and fewer) or the top bit alone (64 bits)."""
    low = -(1 << (bits - 1)) if signed else 0
    high = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    target = np.dtype(f"{'int' if signed else 'uint'}{bits}")
    wide = x.astype(np.float64)
    inside = (wide > float(low)) & (wide < float(high))
    out = np.where(inside, wide, 0).astype(target)
    out[wide >= float(high)] = high
    out[wide <= float(low)] = low
    if bits == 64:
        out[np.isnan(wide)] = low if signed else 1 << 63
    return out


def multiply_high(a: Array, b: Array) -> Array:
    """The upper half of the product of two 32- or 64-bit integers of the same type."""
    if a.dtype.itemsize == 4:
        wide = np.int64 if a.dtype.kind == "i" else np.uint64
        return ((a.astype(wide) * b.astype(wide)) >> wide(32)).astype(a.dtype)
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    ua, ub = a.astype(np.uint64), b.astype(np.uint64)
    al, ah, bl, bh = ua & mask, ua >> shift, ub & mask, ub >> shift
    middle = ah * bl + ((al * bl) >> shift)
    upper = al * bh + (middle & mask)
    high = ah * bh + (middle >> shift) + (upper >> shift)
    if a.dtype.kind == "i":
        high = high - np.where(a < 0, ub, np.uint64(0)) - np.where(b < 0, ua, np.uint64(0))
    return high.astype(a.dtype)
