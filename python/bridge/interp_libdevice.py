"""CUDA's libdevice, elementwise on numpy arrays: one table, one row per function that Triton offers.

A row says everything about a function: its name in triton.language.extra.libdevice, how many arguments it takes, its symbols in NVIDIA's
library (without the leading "__nv_"; one per overload), the implementation, and which sample inputs the test feeds it. "wide" functions
are computed in float64 and rounded once to float32; the others work in the type they get. Approximations ("fast_*") are computed exactly.
Triton builds libdevice to flush subnormal float32 numbers, arguments and results, which is done here too.
"""
from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ka_bridge import interp_numeric as numeric

Array = np.ndarray
Function = Callable[..., Array]
_MODES: dict[str, Function] = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}

# The float32 functions that were seen to keep subnormal numbers on a GPU all the same.
_KEEP_SUBNORMALS = frozenset((
    "int_as_float", "uint_as_float", "float_as_int", "float_as_uint", "copysign", "exp", "log", "log2", "log10", "erfinv", "rhypot",
    "rnorm3d", "rnorm4d", "j0", "j1", "jn", "nextafter", "ldexp", "scalbn"))


class Row(NamedTuple):
    name: str
    arity: int
    symbols: tuple[str, ...]
    function: Function
    samples: str
    wide: bool


def popcount(x: Array) -> Array:
    """Bits set, counted per byte: works for every integer type."""
    per_byte = np.unpackbits(np.ascontiguousarray(x).reshape(-1, 1).view(np.uint8), axis=1).sum(axis=1)
    return per_byte.reshape(x.shape).astype(np.int32)


def leading_zeros(x: Array) -> Array:
    bits = x.dtype.itemsize * 8
    filled = x.view(f"uint{bits}").copy()
    for shift in (1, 2, 4, 8, 16, 32)[:int(math.log2(bits))]:
        filled |= filled >> np.array(shift, filled.dtype)
    return np.int32(bits) - popcount(filled)


def find_first_set(x: Array) -> Array:
    lowest = x & -x
    return np.where(x == 0, 0, x.dtype.itemsize * 8 - leading_zeros(lowest)).astype(np.int32)


def reverse_bits(x: Array) -> Array:
    octets = np.ascontiguousarray(x).reshape(-1, 1).view(np.uint8)
    flipped = np.packbits(np.unpackbits(octets, axis=1)[:, ::-1], axis=1)
    return np.ascontiguousarray(flipped).view(x.dtype).reshape(x.shape)


def byte_perm(x: Array, y: Array, selector: Array) -> Array:
    """Each of the four result bytes is one of the eight bytes of x and y, picked by a nibble of the selector."""
    pair = x.astype(np.uint32).astype(np.uint64) | (y.astype(np.uint32).astype(np.uint64) << np.uint64(32))
    out = np.zeros(x.shape, np.uint64)
    for position in range(4):
        nibble = ((selector.astype(np.uint32) >> np.uint32(4 * position)) & np.uint32(7)).astype(np.uint64)
        out |= ((pair >> (nibble * np.uint64(8))) & np.uint64(0xFF)) << np.uint64(8 * position)
    return out.astype(np.uint32).view(np.int32)


def multiply_24(a: Array, b: Array) -> Array:
    """The low 32 bits of the product of the low 24 bits (sign-extended when signed)."""
    shift = a.dtype.type(8)
    return (((a << shift) >> shift).astype(np.int64) * ((b << shift) >> shift).astype(np.int64)).astype(a.dtype)


def half_sum(extra: int) -> Function:
    return lambda a, b: ((a.astype(np.int64) + b.astype(np.int64) + extra) >> 1).astype(a.dtype)


def round_half_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(x.dtype.type(1), x), whole)


def exponent(x: Array) -> Array:
    """floor(log2(|x|)) as a float, exactly; logb's answers for 0, inf and NaN."""
    _, power = np.frexp(x)
    out = (power - 1).astype(x.dtype)
    out = np.where(x == 0, -np.inf, np.where(np.isinf(x), np.inf, out))
    return np.where(np.isnan(x), np.nan, out)


def integer_exponent(x: Array) -> Array:
    special = np.where(np.isinf(x), 2**31 - 1, -(2**31))
    plain = np.nan_to_num(exponent(x), neginf=0, posinf=0).astype(np.int64)
    return np.where((x == 0) | ~np.isfinite(x), special, plain).astype(np.int32)


def fused(mode: str) -> Function:
    """x * y + z rounded once, toward `mode`: the C library's fma for float64; for float32 the exact product and an exact sum's sign."""
    in_c = numeric.rounded(mode, numeric.c_function("fma"))

    def run(x: Array, y: Array, z: Array) -> Array:
        if x.dtype == np.float64:
            return in_c(x, y, z)
        product, addend = x.astype(np.float64) * y.astype(np.float64), z.astype(np.float64)
        total = product + addend
        back = total - product
        lost = (product - (total - back)) + (addend - back)
        # Round to odd in float64: then the last rounding, to float32, sees on which side of total the exact sum lies.
        odd = (total.view(np.uint64) & np.uint64(1)).astype(bool)
        shifted = np.nextafter(total, np.where(lost > 0, np.inf, -np.inf))
        exact = np.where(np.isfinite(total) & (lost != 0) & np.isfinite(lost) & ~odd, shifted, total)
        return numeric.rounded(mode, lambda v: v.astype(np.float32))(exact)

    return run


def to_integer(mode: Function, bits: int, signed: bool, nan_32: int = 0) -> Function:
    def run(x: Array) -> Array:
        out = numeric.to_integer(mode(x), bits, signed)
        if bits == 32 and nan_32:
            out[np.isnan(x)] = nan_32
        return out

    return run


def clear_low_word(x: Array) -> Array:
    return ((1 / x).view(np.uint64) & np.uint64(0xFFFFFFFF00000000)).view(np.float64)


def join_words(high: Array, low: Array) -> Array:
    word = (high.astype(np.int64) << 32) | (low.astype(np.int64) & 0xFFFFFFFF)
    return word.view(np.float64)


def low_word(x: Array) -> Array:
    return (x.view(np.int64) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def positive_difference(x: Array, y: Array) -> Array:
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0))


def inverse_of(function: Function) -> Function:
    return lambda *args: 1 / function(*args)


def length(*parts: Array) -> Array:
    return functools.reduce(np.hypot, parts)


def bits_as(target: type) -> Function:
    return lambda x: np.ascontiguousarray(x).view(target)


def _integer_rows() -> list[Row]:
    return [
        Row("clz", 1, ("clz", "clzll"), leading_zeros, "integer", False),
        Row("popc", 1, ("popc", "popcll"), popcount, "integer", False),
        Row("ffs", 1, ("ffs", "ffsll"), find_first_set, "integer", False),
        Row("brev", 1, ("brev", "brevll"), reverse_bits, "integer", False),
        Row("byte_perm", 3, ("byte_perm",), byte_perm, "integer", False),
        Row("mulhi", 2, ("mulhi", "umulhi", "mul64hi", "umul64hi"), numeric.multiply_high, "integer", False),
        Row("mul24", 2, ("mul24", "umul24"), multiply_24, "integer", False),
        Row("sad", 3, ("sad", "usad"), lambda x, y, z: (np.abs(x.astype(np.int64) - y) + z).astype(np.uint32), "integer", False),
        Row("hadd", 2, ("hadd", "uhadd"), half_sum(0), "integer", False),
        Row("rhadd", 2, ("rhadd", "urhadd"), half_sum(1), "integer", False),
    ]


def _rounding_rows() -> list[Row]:
    """Arithmetic and conversions that exist once per rounding mode."""
    rows: list[Row] = []
    arithmetic: dict[str, tuple[int, Function]] = {
        "add": (2, np.add), "sub": (2, np.subtract), "mul": (2, np.multiply), "div": (2, np.divide),
        "rcp": (1, lambda x: x.dtype.type(1) / x), "sqrt": (1, np.sqrt)}
    for mode, whole in _MODES.items():
        for name, (arity, function) in arithmetic.items():
            rows.append(Row(f"{name}_{mode}", arity, (f"f{name}_{mode}", f"d{name}_{mode}"), numeric.rounded(mode, function), "real", False))
        rows.append(Row(f"fma_{mode}", 3, (f"fmaf_{mode}", f"fma_{mode}"), fused(mode), "real", False))
        rows.append(Row(f"double2float_{mode}", 1, (f"double2float_{mode}",), numeric.rounded(mode, lambda x: x.astype(np.float32)), "real", False))
        for source, nan_32 in (("float", 0), ("double", -2**31)):
            for target, bits, signed in (("int", 32, True), ("uint", 32, False), ("ll", 64, True), ("ull", 64, False)):
                nan = nan_32 if signed else nan_32 & 0xFFFFFFFF
                rows.append(Row(f"{source}2{target}_{mode}", 1, (f"{source}2{target}_{mode}",), to_integer(whole, bits, signed, nan), "real", False))
        for source in ("int", "uint", "ll", "ull"):
            for target, kind in (("float", np.float32), ("double", np.float64)):
                if target == "double" and source in ("int", "uint") and mode != "rn":
                    continue  # exact, so libdevice has one mode only
                cast = numeric.rounded(mode, lambda x, kind=kind: x.astype(kind))
                rows.append(Row(f"{source}2{target}_{mode}", 1, (f"{source}2{target}_{mode}",), cast, "integer", False))
    return rows


def _bit_rows() -> list[Row]:
    views: dict[str, type] = {"int_as_float": np.float32, "uint_as_float": np.float32, "float_as_int": np.int32, "float_as_uint": np.uint32,
                              "longlong_as_double": np.float64, "double_as_longlong": np.int64}
    rows = [Row(name, 1, (name,), bits_as(kind), "bits", False) for name, kind in views.items()]
    rows.append(Row("hiloint2double", 2, ("hiloint2double",), join_words, "bits", False))
    rows.append(Row("double2loint", 1, ("double2loint",), low_word, "real", False))
    rows.append(Row("double2hiint", 1, ("double2hiint",), lambda x: (x.view(np.int64) >> 32).astype(np.int32), "real", False))
    return rows


def _float_rows() -> list[Row]:
    exact: dict[str, tuple[int, str, Function]] = {
        "abs": (1, "abs llabs fabsf fabs", np.abs), "floor": (1, "floorf floor", np.floor), "ceil": (1, "ceilf ceil", np.ceil),
        "trunc": (1, "truncf trunc", np.trunc), "rint": (1, "rintf rint", np.rint), "nearbyint": (1, "nearbyintf nearbyint", np.rint),
        "round": (1, "roundf round", round_half_away), "llround": (1, "llroundf llround", to_integer(round_half_away, 64, True)),
        "llrint": (1, "llrintf llrint", to_integer(np.rint, 64, True)), "isnan": (1, "isnanf isnand", np.isnan),
        "isinf": (1, "isinff isinfd", np.isinf), "finitef": (1, "finitef", np.isfinite), "isfinited": (1, "isfinited", np.isfinite),
        "signbit": (1, "signbitf signbitd", np.signbit), "copysign": (2, "copysignf copysign", np.copysign),
        "nextafter": (2, "nextafterf nextafter", np.nextafter), "ldexp": (2, "ldexpf ldexp", np.ldexp),
        "scalbn": (2, "scalbnf scalbn", np.ldexp), "fmod": (2, "fmodf fmod", np.fmod), "fdim": (2, "fdimf fdim", positive_difference),
        "logb": (1, "logbf logb", exponent), "ilogb": (1, "ilogbf ilogb", integer_exponent),
        "saturatef": (1, "saturatef", lambda x: np.fmin(np.fmax(x, 0), 1)), "fma": (3, "fmaf fma", fused("rn")),
        "sqrt": (1, "sqrtf sqrt", np.sqrt), "rcp64h": (1, "rcp64h", clear_low_word)}
    return [Row(name, arity, tuple(symbols.split()), function, "real", False) for name, (arity, symbols, function) in exact.items()]


def bessel_of_order(name: str) -> Function:
    """The C functions take time in proportion to the order; beyond 2**16 the answer for any usual x is 0 or -inf anyway."""
    function = numeric.c_function(name, first_is_int=True)
    return lambda order, x: function(np.clip(order, -(2**16), 2**16), x)


def _smooth_rows() -> list[Row]:
    c = numeric.c_function
    root = math.sqrt(2)
    one: dict[str, Function] = {
        "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
        "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "exp": np.exp, "exp2": np.exp2,
        "exp10": lambda x: np.power(10.0, x), "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
        "sinpi": numeric.sinpi, "cospi": numeric.cospi, "rsqrt": inverse_of(np.sqrt), "cbrt": np.cbrt, "rcbrt": inverse_of(np.cbrt),
        "erf": numeric.erf, "erfc": numeric.erfc, "erfcx": numeric.erfcx, "erfinv": numeric.erfinv, "erfcinv": numeric.erfcinv,
        "normcdf": lambda x: numeric.erfc(-x / root) / 2, "normcdfinv": lambda x: -root * numeric.erfcinv(2 * x),
        "lgamma": c("lgamma"), "tgamma": c("tgamma"), "j0": c("j0"), "j1": c("j1"), "y0": c("y0"), "y1": c("y1"),
        "cyl_bessel_i0": functools.partial(numeric.bessel_i, 0), "cyl_bessel_i1": functools.partial(numeric.bessel_i, 1)}
    rows = [Row(name, 1, (name + "f", name), function, "real", True) for name, function in one.items()]
    more: dict[str, tuple[int, Function]] = {
        "atan2": (2, np.arctan2), "hypot": (2, np.hypot), "rhypot": (2, inverse_of(np.hypot)), "norm3d": (3, length),
        "rnorm3d": (3, inverse_of(length)), "norm4d": (4, length), "rnorm4d": (4, inverse_of(length)), "remainder": (2, c("remainder"))}
    rows += [Row(name, arity, (name + "f", name), function, "real", True) for name, (arity, function) in more.items()]
    rows.append(Row("pow", 2, ("powf", "pow", "powif", "powi"), np.power, "real", True))
    rows.append(Row("jn", 2, ("jnf", "jn"), bessel_of_order("jn"), "real", True))
    rows.append(Row("yn", 2, ("ynf", "yn"), bessel_of_order("yn"), "real", True))
    rows.append(Row("rsqrt_rn", 1, ("frsqrt_rn",), inverse_of(np.sqrt), "real", True))
    for name in ("sin", "cos", "tan", "log", "log2", "log10", "exp", "exp10"):
        rows.append(Row(f"fast_{name}f", 1, (f"fast_{name}f",), one[name], "real", True))
    rows.append(Row("fast_powf", 2, ("fast_powf",), np.power, "real", True))
    rows.append(Row("fast_dividef", 2, ("fast_fdividef",), np.divide, "real", True))
    return rows


@functools.cache
def table() -> dict[str, Row]:
    """All rows by name."""
    rows = _integer_rows() + _rounding_rows() + _bit_rows() + _float_rows() + _smooth_rows()
    return {row.name: row for row in rows}


@functools.cache
def _by_symbol() -> dict[str, Row]:
    return {"__nv_" + symbol: row for row in table().values() for symbol in row.symbols}


ROUND: list[Callable[[str, Array, np.dtype], Array]] = [lambda name, out, result: out.astype(result)]  # see interp_rounding


def evaluate(symbol: str, args: list[Array], result: np.dtype) -> Array:
    """The libdevice function `symbol` ("__nv_tanhf") on arrays of one shape, as an array of dtype `result`."""
    row = _by_symbol().get(symbol)
    if row is None:
        raise NotImplementedError(f"the library function {symbol} is not known to the CPU interpreter")
    flush = (lambda x: x) if row.name in _KEEP_SUBNORMALS else numeric.flush
    args = [flush(a) for a in args]
    # float32 -> float64 is exact, and so is the integer exponent of pow.
    values = [a.astype(np.float64) if row.wide and (a.dtype == np.float32 or row.name == "pow") else a for a in args]
    out = np.asarray(row.function(*values))
    if result.kind in "iu" and out.dtype.kind == "f":
        raise TypeError(f"{symbol} gave a float where {result} is due")
    return flush(ROUND[0](row.name if row.wide else "_rn", out, result))
