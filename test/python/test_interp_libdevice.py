"""Every row of the libdevice table against PyTorch, Python's math or exact rational arithmetic, on edge values and random ones."""
from __future__ import annotations

import math
import pathlib
import re
import unittest
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import interp_harness  # noqa: F401  (first: patches the interpreter)
import numpy as np
import torch
import triton
import triton.language as tl
from ka_bridge import interp_libdevice as libdevice_table
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice

NUMPY: dict[str, Any] = {"fp32": np.float32, "fp64": np.float64, "int32": np.int32, "int64": np.int64, "uint32": np.uint32, "uint64": np.uint64}
s, t = torch.special, torch
DIRECTIONS = ("rn", "rz", "rd", "ru")

# Oracles over float64 tensors. Rounding modes, conversions and bit functions have exact oracles below.
SMOOTH: dict[str, Callable[..., torch.Tensor]] = {
    "sin": t.sin, "cos": t.cos, "tan": t.tan, "asin": t.asin, "acos": t.acos, "atan": t.atan, "sinh": t.sinh, "cosh": t.cosh, "tanh": t.tanh,
    "asinh": t.asinh, "acosh": t.acosh, "atanh": t.atanh, "exp": t.exp, "exp2": t.exp2, "exp10": lambda x: t.pow(t.tensor(10.0).double(), x),
    "expm1": t.expm1, "log": t.log, "log2": t.log2, "log10": t.log10, "log1p": t.log1p, "sqrt": t.sqrt, "rsqrt": t.rsqrt,
    "rsqrt_rn": t.rsqrt,
    "erf": t.erf, "erfc": t.erfc, "erfcx": s.erfcx, "erfinv": t.erfinv, "erfcinv": lambda x: -s.ndtri(x / 2) / math.sqrt(2),
    "normcdf": lambda x: t.erfc(-x / math.sqrt(2)) / 2, "normcdfinv": s.ndtri, "lgamma": t.lgamma,
    "j0": s.bessel_j0, "j1": s.bessel_j1, "y0": s.bessel_y0, "y1": s.bessel_y1,
    "cyl_bessel_i0": s.i0, "cyl_bessel_i1": s.i1, "abs": t.abs, "floor": t.floor, "ceil": t.ceil, "trunc": t.trunc, "rint": t.round,
    "nearbyint": t.round, "round": lambda x: t.trunc(x + t.copysign(t.tensor(0.5).double(), x)), "atan2": t.atan2, "hypot": t.hypot,
    "rhypot": lambda x, y: 1 / t.hypot(x, y), "pow": t.pow, "fast_powf": t.pow, "fast_dividef": t.div, "copysign": t.copysign,
    "norm3d": lambda *v: t.hypot(t.hypot(v[0], v[1]), v[2]), "rnorm3d": lambda *v: 1 / t.hypot(t.hypot(v[0], v[1]), v[2]),
    "norm4d": lambda *v: t.hypot(t.hypot(v[0], v[1]), t.hypot(v[2], v[3])),
    "rnorm4d": lambda *v: 1 / t.hypot(t.hypot(v[0], v[1]), t.hypot(v[2], v[3])),
    "fdim": lambda x, y: t.where(x > y, x - y, t.where(t.isnan(x + y), x + y, 0.0)), "saturatef": lambda x: t.nan_to_num(x, 0.0).clamp(0, 1),
    "isnan": t.isnan, "isinf": t.isinf, "finitef": t.isfinite, "isfinited": t.isfinite, "signbit": t.signbit}
SMOOTH |= {f"fast_{n}f": SMOOTH[n] for n in ("sin", "cos", "tan", "log", "log2", "log10", "exp", "exp10")}


def one_by_one(function: Callable[..., float]) -> Callable[..., np.ndarray]:
    def safe(*args: float) -> float:
        try:
            return function(*args)
        except (ValueError, OverflowError):
            return math.nan

    return lambda *arrays: np.array([safe(*map(lambda v: v.item(), row)) for row in zip(*arrays)])


SCALAR: dict[str, Callable[..., float]] = {
    "tgamma": lambda x: math.gamma(x) if x != 0 else math.copysign(math.inf, x), "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "rcbrt": lambda x: 1 / math.copysign(abs(x) ** (1 / 3), x) if x else math.copysign(math.inf, x),
    "remainder": math.remainder, "fmod": math.fmod, "sinpi": lambda x: math.sin(math.pi * math.remainder(x, 2)),
    "cospi": lambda x: math.cos(math.pi * math.remainder(x, 2)), "logb": lambda x: math.frexp(x)[1] - 1 if x else -math.inf,
    "ilogb": lambda x: math.frexp(x)[1] - 1 if x else -(2**31), "ldexp": math.ldexp, "scalbn": math.ldexp, "nextafter": math.nextafter,
    "llround": lambda x: int(math.floor(abs(x) + 0.5) * math.copysign(1, x)), "llrint": lambda x: round(x)}


def round_fraction(value: Fraction, dtype: Any, mode: str) -> float:
    """An exact value to dtype, by looking at the two neighbours: the definition of directed rounding."""
    near = dtype(float(value)) if dtype is np.float64 or abs(value) < 2**120 else dtype(value.numerator / value.denominator)
    exact = Fraction(float(near))
    if mode == "rn" or exact == value:
        return near
    up = mode == "ru" or (mode == "rz" and value < 0)
    if up:
        return near if exact > value else np.nextafter(near, dtype(np.inf))
    return near if exact < value else np.nextafter(near, dtype(-np.inf))


EXACT: dict[str, Callable[..., Fraction]] = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
                                             "div": lambda x, y: x / y, "rcp": lambda x: 1 / x, "fma": lambda x, y, z: x * y + z}


def edges(kind: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    dtype = NUMPY[kind]
    if kind.startswith(("int", "uint")):
        info = np.iinfo(dtype)
        special = np.array([0, 1, 2, 3, 255, 256, info.max, info.min, info.max - 1, info.min + 1], dtype=dtype)
        return rng.permutation(np.concatenate([special, rng.integers(info.min, info.max, 118, dtype=dtype)]))
    special = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, np.finfo(dtype).max, -np.finfo(dtype).max,
               np.finfo(dtype).tiny, np.finfo(dtype).smallest_subnormal, 1e-10, 88.5, -88.5, 3e9, -3e9, 1e19, 0.25, 2, 3]
    values = np.concatenate([special, rng.uniform(-1, 1, 30), rng.uniform(0, 2, 20), rng.standard_normal(128) * 10.0**rng.uniform(-3, 3, 128)])
    return rng.permutation(values[:128].astype(dtype))


def overloads() -> list[tuple[str, str, list[str], str]]:
    """(function, symbol, argument types, result type) of every overload, read from Triton's own source text."""
    text = pathlib.Path(cuda_libdevice.__file__).read_text(encoding="utf-8")
    found = []
    for name, body in re.findall(r"^def (\w+)\(.*?\):\n(.*?)(?=^@|\Z)", text, re.M | re.S):
        for types, symbol, result in re.findall(r"\(((?:\s*core\.dtype\(\"\w+\"\),?\s*)+)\):\s*\(\"(\w+)\", core\.dtype\(\"(\w+)\"\)\)", body):
            found.append((name, symbol, re.findall(r'"(\w+)"', types), result))
    return found


class Table(unittest.TestCase):
    def test_has_every_function_and_symbol_of_triton(self) -> None:
        table = libdevice_table.table()
        self.assertEqual({row[0] for row in overloads()}, set(table))
        self.assertEqual({row[1] for row in overloads()}, {"__nv_" + symbol for row in table.values() for symbol in row.symbols})
        for name, _, types, _ in overloads():
            self.assertEqual(table[name].arity, len(types), name)

    def test_every_portable_name_is_supplied_or_refused(self) -> None:
        names = {name for name, member in vars(libdevice).items() if callable(member) and not name.startswith("_") and not isinstance(member, type)}
        self.assertGreaterEqual(names, set(libdevice_table.table()))
        for name in names - set(libdevice_table.table()):
            with self.subTest(name), self.assertRaisesRegex(NotImplementedError, f"libdevice.{name} exists for AMD GPUs only"):
                getattr(libdevice, name)(1.0)

    def evaluate(self, symbol: str, types: list[str], result: str) -> tuple[list[np.ndarray], np.ndarray]:
        args = [edges(kind, at) for at, kind in enumerate(types)]
        return args, libdevice_table.evaluate(symbol, args, np.dtype(NUMPY[result]))

    def check(self, name: str, args: list[np.ndarray], got: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
        """Equal, or close; where a float32 argument or answer is subnormal both 0 and the number itself will do."""
        tiny = np.finfo(np.float32).tiny
        small = np.any([(np.abs(a) < tiny) & (a != 0) & (a.dtype == np.float32) for a in args], axis=0)
        small |= (np.abs(expected) < tiny) if got.dtype == np.float32 else np.zeros(got.shape, bool)
        got, expected = got.astype(np.float64), np.asarray(expected, dtype=np.float64)
        floor = 1e-15 if "pi" in name else 1e-300  # math.pi is no exact half turn; PyTorch flushes some of the smallest numbers
        with np.errstate(all="ignore"):
            good = (got == expected) | (np.isnan(got) & np.isnan(expected)) | (np.abs(got - expected) <= tolerance * np.abs(expected) + floor)
        bad = np.flatnonzero(~(good | small))
        report = [(*(a[i] for a in args), got[i], expected[i]) for i in bad[:4]]
        self.assertEqual(len(bad), 0, f"{name}: arguments, got, expected: {report}")

    def test_smooth_functions(self) -> None:
        loose = {"j0": 1e-3, "j1": 1e-3, "y0": 1e-3, "y1": 1e-3}  # PyTorch's own lose digits near the zeros and for large arguments
        undefined_in_torch = {"cyl_bessel_i0": np.isinf, "cyl_bessel_i1": np.isinf, "erfcinv": lambda x: x > 1.99, "lgamma": np.isinf,
                              "j0": lambda x: ~(np.abs(x) < 1e3), "j1": lambda x: ~(np.abs(x) < 1e3), "y0": lambda x: ~(x < 1e3), "y1": lambda x: ~(x < 1e3)}
        for name, symbol, types, result in overloads():
            if name in SMOOTH and types[0] != "int32" and types[0] != "int64":
                args, got = self.evaluate(symbol, types, result)
                wide = [torch.from_numpy(a.astype(np.float64)) for a in args]
                expected = SMOOTH[name](*wide).double().numpy()
                if name in ("round",):
                    expected = np.where(np.abs(args[0]) > 2**51, args[0], expected)
                if result == "fp32":
                    with np.errstate(all="ignore"):
                        expected = expected.astype(np.float32).astype(np.float64)
                keep = ~undefined_in_torch.get(name, lambda x: np.zeros(x.shape, bool))(args[0])
                tolerance = loose.get(name, 2e-7 if result == "fp32" else 1e-12)
                self.check(symbol, [a[keep] for a in args], got[keep], expected[keep], tolerance)

    def test_functions_of_the_math_module(self) -> None:
        for name, symbol, types, result in overloads():
            if name in SCALAR:
                args, got = self.evaluate(symbol, types, result)
                if types[-1] == "int32":
                    args[1] = args[1] % 64
                    got = libdevice_table.evaluate(symbol, args, np.dtype(NUMPY[result]))
                keep = np.all([np.isfinite(a) & (np.abs(a.astype(np.float64)) < 1e15) for a in args], axis=0)
                if name == "tgamma":
                    keep &= (np.abs(args[0]) < 30) & (np.abs(args[0]) > 1e-300)
                if name == "nextafter" and result == "fp32":
                    expected = np.nextafter(*args)
                else:
                    expected = one_by_one(SCALAR[name])(*args)
                self.check(symbol, [a[keep] for a in args], got[keep], expected[keep].astype(got.dtype), 2e-7 if result == "fp32" else 1e-12)

    def test_directed_rounding(self) -> None:
        for name, symbol, types, result in overloads():
            operation, _, mode = name.rpartition("_")
            if operation in EXACT and mode in DIRECTIONS:
                args, got = self.evaluate(symbol, types, result)
                with np.errstate(all="ignore"):
                    keep = np.all([np.isfinite(a) & ((np.abs(a) > 1e-12) & (np.abs(a) < 1e12)) for a in args], axis=0)
                values = [EXACT[operation](*(Fraction(float(v)) for v in row)) for row in zip(*(a[keep] for a in args))]
                expected = np.array([round_fraction(v, NUMPY[result], mode) for v in values])
                self.check(symbol, [a[keep] for a in args], got[keep], expected, 0)
            elif operation == "sqrt" and mode in DIRECTIONS:
                args, got = self.evaluate(symbol, types, result)
                for x, root in zip(args[0], got):
                    if np.isfinite(x) and x > 1e-12:
                        below, above = Fraction(float(np.nextafter(root, root.dtype.type(0)))), Fraction(float(np.nextafter(root, root.dtype.type(np.inf))))
                        square, exact = Fraction(float(root)) ** 2, Fraction(float(x))
                        self.assertTrue(below**2 < exact < above**2)
                        self.assertTrue(mode == "rn" or (square >= exact if mode == "ru" else square <= exact), (symbol, x))

    def test_conversions(self) -> None:
        whole = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}
        ranges = {"int": (-2**31, 2**31 - 1), "uint": (0, 2**32 - 1), "ll": (-2**63, 2**63 - 1), "ull": (0, 2**64 - 1)}
        for name, symbol, types, result in overloads():
            match = re.fullmatch(r"(\w+?)2(\w+)_(rn|rz|rd|ru)", name)
            if match is None:
                continue
            source, target, mode = match.groups()
            args, got = self.evaluate(symbol, types, result)
            for x, y in zip(args[0], got):
                if target in ranges and np.isfinite(x) and (x == 0 or abs(x) >= np.finfo(np.float32).tiny):
                    low, high = ranges[target]
                    expected = min(max(whole[mode](Fraction(float(x))), low), high)
                    width = 32 if target in ("int", "uint") else 64  # unsigned answers come in signed types
                    self.assertEqual(int(y) % 2**width, expected % 2**width, (symbol, x))
                elif target in ("float", "double") and source in ranges:
                    self.assertEqual(y, round_fraction(Fraction(int(x)), NUMPY[result], mode), (symbol, x))
                elif name.startswith("double2float") and np.isfinite(x) and 1e-30 < abs(x) < 1e30:
                    self.assertEqual(y, round_fraction(Fraction(float(x)), np.float32, mode), (symbol, x))

    def test_integer_functions(self) -> None:
        def bits(x: int, n: int) -> str:
            return format(x % 2**n, f"0{n}b")

        def permute(x: int, y: int, choice: int) -> int:
            octets = (x % 2**32 | (y % 2**32) << 32).to_bytes(8, "little")
            return int.from_bytes(bytes(octets[(choice >> (4 * k)) & 7] for k in range(4)), "little")

        def low24(x: int, signed: bool) -> int:
            value = x % 2**24
            return value - 2**24 if signed and value >= 2**23 else value

        for name, symbol, types, result in overloads():
            if libdevice_table.table()[name].samples != "integer" or "2" in name:
                continue
            n, signed = int(types[0][-2:]), types[0].startswith("int")
            oracle: dict[str, Callable[..., int]] = {
                "clz": lambda x: len(bits(x, n)) - len(bits(x, n).lstrip("0")), "popc": lambda x: bits(x, n).count("1"),
                "ffs": lambda x: bits(x, n)[::-1].find("1") + 1, "brev": lambda x: int(bits(x, n)[::-1], 2), "byte_perm": permute,
                "mulhi": lambda x, y: (x * y) >> n, "mul24": lambda x, y: low24(x, signed) * low24(y, signed),
                "sad": lambda x, y, z: abs(x - y) + z, "hadd": lambda x, y: (x + y) >> 1, "rhadd": lambda x, y: (x + y + 1) >> 1}
            args, got = self.evaluate(symbol, types, result)
            size = int(result[-2:])
            for row in zip(got, *args):
                values = [int(v) for v in row[1:]]
                self.assertEqual(int(row[0]) % 2**size, oracle[name](*values) % 2**size, (symbol, values))

    def test_bits(self) -> None:
        for name, symbol, types, result in overloads():
            if name.endswith(("_as_float", "_as_int", "_as_uint", "_as_double", "_as_longlong")):
                args, got = self.evaluate(symbol, types, result)
                self.assertEqual(args[0].tobytes(), got.tobytes(), symbol)
        x = np.array([1.5, -2.75, 1e300])
        high = libdevice_table.evaluate("__nv_double2hiint", [x], np.dtype(np.int32))
        low = libdevice_table.evaluate("__nv_double2loint", [x], np.dtype(np.int32))
        self.assertEqual(libdevice_table.evaluate("__nv_hiloint2double", [high, low], np.dtype(np.float64)).tolist(), x.tolist())

    def test_bessel_functions_of_an_order(self) -> None:
        x = np.linspace(0.1, 20, 50)
        for name, first, second in (("jn", s.bessel_j0, s.bessel_j1), ("yn", s.bessel_y0, s.bessel_y1)):
            for order, expected in ((0, first), (1, second)):
                got = libdevice_table.evaluate(f"__nv_{name}", [np.full(50, order, np.int32), x], np.dtype(np.float64))
                np.testing.assert_allclose(got, expected(torch.from_numpy(x)).numpy(), rtol=1e-5, atol=1e-6)  # PyTorch's are no better


@triton.jit
def spellings_kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside, other=1.0)
    total = libdevice.tanh(x) + cuda_libdevice.tanh(x) + tl.extra.cuda.libdevice.tanh(x) + tl.extra.libdevice.tanh(x)
    total += libdevice.pow(x, 2.0) + libdevice.pow(tl.abs(x), x) + libdevice.ldexp(x, 3)
    total += tl.where(libdevice.isnan(x), 1.0, 0.0) + libdevice.exp(tl.load(x_ptr))
    tl.store(o_ptr + i, total, mask=inside)


class Kernels(unittest.TestCase):
    def test_all_spellings_mixed_arguments_and_masks(self) -> None:
        x = torch.randn(100)
        out = torch.zeros(128)
        spellings_kernel[(1,)](x, out, 100, 128)
        wide = x.double()
        expected = 4 * wide.tanh() + wide**2 + wide.abs()**wide + 8 * wide + wide[0].exp()
        torch.testing.assert_close(out[:100].double(), expected, rtol=1e-5, atol=1e-5)
        self.assertEqual(out[100:].abs().max().item(), 0)


if __name__ == "__main__":
    unittest.main()
