"""Elementwise operations, casts, padding and atomics of Triton's CPU interpreter, as the GPU does them.

Every function here replaces the method of the same name of triton.runtime.interpreter.InterpreterBuilder (see METHODS). Handles hold
numpy arrays; bfloat16 and 8-bit floats are bits in integer arrays, so arithmetic decodes, computes in float32 and rounds once per
operation, which is what fma.rn.bf16 gives.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime import interpreter

from ka_bridge import interp_libdevice, interp_numeric
from ka_bridge.interp_formats import STORAGE, decode, encode

Handle = interpreter.TensorHandle
METHODS: dict[str, Callable[..., Any]] = {}
_STORAGE_DTYPES: dict[str, np.dtype] = {
    **{name: np.dtype(kind) for name, kind in STORAGE.items()},
    **{f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "int1": np.dtype(bool), "fp16": np.dtype(np.float16), "fp32": np.dtype(np.float32), "fp64": np.dtype(np.float64)}


def np_dtype(dtype: Any) -> np.dtype:
    """The storage type of a Triton type. Triton's own builds its whole table anew at every call."""
    scalar = dtype.scalar
    return np.dtype(np.uint64) if isinstance(scalar, tl.pointer_type) else _STORAGE_DTYPES[scalar.name]


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    METHODS[function.__name__] = function
    return function


def numbers(handle: Any) -> np.ndarray:
    """The handle's values as numpy numbers, whatever their format."""
    return decode(handle.data, handle.dtype.scalar.name) if handle.data.dtype.kind == "u" else handle.data


def of_numbers(values: np.ndarray, dtype: Any) -> Any:
    """The inverse of `numbers`."""
    if dtype.name in STORAGE:
        return Handle(encode(values, dtype.name), dtype)
    target = np_dtype(dtype)
    return Handle(values if values.dtype == target else values.astype(target), dtype)


def _arithmetic(operation: Callable[..., np.ndarray]) -> Callable[..., Any]:
    def run(self: Any, *args: Any) -> Any:
        dtype = args[0].dtype.scalar
        if dtype.name in STORAGE:
            return Handle(encode(operation(*(numbers(a) for a in args)), dtype.name), dtype)
        return of_numbers(operation(*(a.data for a in args)), dtype)

    return run


def _comparison(operation: Callable[..., np.ndarray]) -> Callable[..., Any]:
    return lambda self, lhs, rhs: Handle(operation(numbers(lhs), numbers(rhs)), tl.int1)


def _remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x % y of floats: the compiler makes it x - trunc(x / y) * y with one rounding at the end, not the exact fmod."""
    whole = np.trunc(x / y)
    rest = interp_libdevice.table()["fma"].function(-whole, y, x) if x.dtype in (np.float32, np.float64) else np.fmod(x, y)
    return np.where(np.isinf(y) & np.isfinite(x), x, rest)


# maxnum and minnum answer the number when one operand is NaN (PTX max.f32), maximum and minimum answer NaN (max.NaN.f32).
for _name, _operation in {
        "fadd": np.add, "fsub": np.subtract, "fmul": np.multiply, "fdiv": np.divide, "precise_divf": np.divide, "frem": _remainder,
        "minimumf": np.minimum, "minnumf": np.fmin, "maximumf": np.maximum, "maxnumf": np.fmax}.items():
    METHODS[f"create_{_name}"] = _arithmetic(_operation)
for _name, _operation in {"LT": np.less, "GT": np.greater, "LE": np.less_equal, "GE": np.greater_equal}.items():
    for _kind in ("icmpS", "icmpU", "fcmpO"):
        METHODS[f"create_{_kind}{_name}"] = _comparison(_operation)
for _name, _operation in {"icmpEQ": np.equal, "icmpNE": np.not_equal, "fcmpOEQ": np.equal, "fcmpUNE": np.not_equal}.items():
    METHODS[f"create_{_name}"] = _comparison(_operation)


@method
def create_clampf(self: Any, value: Any, low: Any, high: Any, propagate_nan: Any) -> Any:
    x, lowest, highest = numbers(value), numbers(low), numbers(high)
    if propagate_nan == ir.PROPAGATE_NAN.ALL:
        out = np.minimum(np.maximum(x, lowest), highest)
    else:
        out = np.fmin(np.fmax(x, lowest), highest)
        if np.array_equal(lowest, -highest):
            # Symmetric bounds become one instruction, min.xorsign.abs, whose answer for NaN is the bound on NaN's side.
            out = np.where(np.isnan(x), np.copysign(highest, x), out)
    return of_numbers(out, value.dtype.scalar)


@method
def create_fma(self: Any, x: Any, y: Any, z: Any) -> Any:
    dtype = z.dtype.scalar
    if not dtype.is_floating():
        return Handle(x.data * y.data + z.data, dtype)
    if dtype.name in ("fp32", "fp64"):
        return Handle(interp_libdevice.table()["fma"].function(x.data, y.data, z.data), dtype)
    wide = [numbers(h).astype(np.float64) for h in (x, y, z)]
    return of_numbers(wide[0] * wide[1] + wide[2], dtype)


@method
def create_erf(self: Any, arg: Any) -> Any:
    return of_numbers(interp_numeric.erf(numbers(arg)), arg.dtype.scalar)


@method
def create_sqrt(self: Any, arg: Any) -> Any:
    return Handle(np.sqrt(interp_numeric.flush(arg.data)), arg.dtype.scalar)  # sqrt.approx.ftz


@method
def create_rsqrt(self: Any, arg: Any) -> Any:
    return Handle(1 / np.sqrt(interp_numeric.flush(arg.data)), arg.dtype.scalar)  # rsqrt.approx.ftz


@method
def create_umulhi(self: Any, lhs: Any, rhs: Any) -> Any:
    unsigned = f"uint{lhs.data.dtype.itemsize * 8}"
    high = interp_numeric.multiply_high(lhs.data.view(unsigned), rhs.data.view(unsigned))
    return Handle(high.view(lhs.data.dtype), lhs.dtype.scalar)


@method
def create_ashr(self: Any, lhs: Any, rhs: Any) -> Any:
    signed = f"int{lhs.data.dtype.itemsize * 8}"
    return Handle((lhs.data.astype(signed) >> rhs.data.astype(signed)).astype(lhs.data.dtype), lhs.dtype.scalar)


@method
def create_extern_elementwise(self: Any, library: str, path: str, symbol: str, args: list[Any], result: Any, pure: bool) -> Any:
    dtype = result.scalar
    return Handle(interp_libdevice.evaluate(symbol, [numbers(a) for a in args], np_dtype(dtype)), dtype)


@method
def create_inline_asm(self: Any, *args: Any) -> Any:
    raise NotImplementedError("inline assembly cannot run on the CPU interpreter: write the operation with tl.* or libdevice functions")


@method
def get_bf16(self: Any, value: float) -> Any:
    return Handle(encode(np.array([value], dtype=np.float64), "bf16"), tl.bfloat16)


# casts


def _cast(handle: Any, target: Any, toward_zero: bool = False) -> Any:
    source, dtype = handle.dtype.scalar, target.scalar
    if dtype.is_floating():
        if source.is_floating() or dtype.name in STORAGE:
            return Handle(encode(numbers(handle), dtype.name, toward_zero), dtype)
    elif source.is_floating():
        return Handle(_to_integer(numbers(handle), dtype), dtype)
    return Handle(handle.data.astype(np_dtype(dtype)), dtype)


def _to_integer(values: np.ndarray, dtype: Any) -> np.ndarray:
    """cvt.rzi saturates; there is none for 8 bits: the 16-bit result is cut. NaN is 0 from float32, the lowest number from float64."""
    bits = max(dtype.int_bitwidth, 16)
    out = interp_numeric.to_integer(np.trunc(values), bits, dtype.is_int_signed())
    if values.dtype == np.float64 and bits == 32:
        out[np.isnan(values)] = 1 << 31 if dtype.is_int_unsigned() else -(1 << 31)
    return out.astype(np_dtype(dtype))


for _name in ("si_to_fp", "ui_to_fp", "fp_to_si", "fp_to_ui", "fp_ext", "fp_trunc"):
    METHODS[f"create_{_name}"] = lambda self, source, target: _cast(source, target)
METHODS["create_int_cast"] = lambda self, source, target, is_signed: _cast(source, target)
METHODS["cast_impl"] = lambda self, source, target: _cast(source, target)


@method
def create_fp_to_fp(self: Any, source: Any, target: Any, mode: Any) -> Any:
    return _cast(source, target, mode == ir.ROUNDING_MODE.RTZ)


# loads through block pointers and descriptors: the padding value in the element's own format


def _padding(option: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    if option == ir.PADDING_OPTION.PAD_NAN:
        return of_numbers(np.full(shape, np.nan, dtype=np.float32), dtype)
    return Handle(np.zeros(shape, dtype=np_dtype(dtype)), dtype)


@method
def create_tensor_pointer_load(self: Any, pointer: Any, boundary_check: Any, padding: Any, cache: Any, eviction: Any, volatile: bool) -> Any:
    pointers, mask = pointer.materialize_pointers(boundary_check)
    other = _padding(padding, pointers.data.shape, pointers.get_element_ty())
    return self.create_masked_load(pointers, Handle(mask, tl.int1), other, cache, eviction, volatile)


@method
def create_tensor_pointer_store(self: Any, pointer: Any, value: Any, boundary_check: Any, cache: Any, eviction: Any) -> Any:
    pointers, mask = pointer.materialize_pointers(boundary_check)
    return self.create_masked_store(pointers, value, Handle(mask, tl.int1), cache, eviction)


@method
def create_descriptor_load(self: Any, descriptor: Any, indices: list[Any], cache: Any, eviction: Any) -> Any:
    pointers, mask = descriptor.materialize_pointers(indices)
    other = _padding(descriptor.padding, pointers.data.shape, pointers.get_element_ty())
    return self.create_masked_load(pointers, Handle(mask, tl.int1), other, cache, eviction, False)


@method
def create_descriptor_store(self: Any, descriptor: Any, value: Any, indices: list[Any]) -> Any:
    pointers, mask = descriptor.materialize_pointers(indices)
    return self.create_masked_store(pointers, value, Handle(mask, tl.int1), None, None)


@method
def create_descriptor_reduce(self: Any, kind: Any, descriptor: Any, value: Any, indices: list[Any]) -> Any:
    """An atomic operation per element that lies inside."""
    pointers, mask = descriptor.materialize_pointers(indices)
    name, dtype = kind.name, value.dtype.scalar
    if dtype.is_floating():
        return float_atomic(self, pointers, value, mask, {"ADD": np.add, "MIN": np.fmin, "MAX": np.fmax}[name])
    if name in ("MIN", "MAX") and dtype.is_int_unsigned():
        name = "U" + name
    return _rmw(self, getattr(ir.ATOMIC_OP, name), pointers, value, Handle(mask, tl.int1), ir.MEM_SEMANTIC.RELAXED, None)


# atomics: the interpreter's own know no bfloat16, and exchange integers only


def float_atomic(self: Any, pointers: Any, value: Any, mask: np.ndarray, operation: Callable[..., np.ndarray]) -> Any:
    """Read, compute, write, one round per repetition of an address, so that equal addresses are served in order."""
    dtype = value.dtype.scalar
    addresses = pointers.data.ravel()
    active = np.broadcast_to(mask, pointers.data.shape).ravel()
    operand = numbers(value).ravel()
    old = np.zeros(addresses.shape, dtype=np_dtype(dtype))
    waiting = np.flatnonzero(active)
    while waiting.size:
        _, first = np.unique(addresses[waiting], return_index=True)
        now = waiting[first]
        here = Handle(addresses[now], pointers.dtype)
        everywhere = Handle(np.ones(now.shape, dtype=bool), tl.int1)
        old[now] = self.create_masked_load(here, everywhere, None, None, None, False).data
        new = of_numbers(operation(decode(old[now], dtype.name), operand[now]), dtype)
        self.create_masked_store(here, new, everywhere, None, None)
        waiting = np.delete(waiting, first)
    return Handle(old.reshape(pointers.data.shape), dtype)


_rmw, _cas = interpreter.InterpreterBuilder.create_atomic_rmw, interpreter.InterpreterBuilder.create_atomic_cas


@method
def create_atomic_rmw(self: Any, operation: Any, pointers: Any, value: Any, mask: Any, semantic: Any, scope: Any) -> Any:
    if value.dtype.scalar.name in ("bf16", "fp16") and operation == ir.ATOMIC_OP.FADD:
        return float_atomic(self, pointers, value, mask.data, np.add)
    if value.data.dtype.kind == "f" and operation == ir.ATOMIC_OP.XCHG:
        return _of_bits(_rmw(self, operation, pointers, _bits(value), mask, semantic, scope), value)
    return _rmw(self, operation, pointers, value, mask, semantic, scope)


def _bits(handle: Any) -> Any:
    return Handle(handle.data.view(f"int{8 * handle.data.itemsize}"), handle.dtype)


def _of_bits(bits: Any, like: Any) -> Any:
    return Handle(bits.data.view(like.data.dtype), like.dtype.scalar)


@method
def create_atomic_cas(self: Any, pointers: Any, expected: Any, value: Any, semantic: Any, scope: Any) -> Any:
    """Compares bits, as the instruction does: NaN equals itself, and 0.0 is not -0.0."""
    if value.data.dtype.kind == "f":
        return _of_bits(_cas(self, pointers, _bits(expected), _bits(value), semantic, scope), value)
    return _cas(self, pointers, expected, value, semantic, scope)


@method
def create_histogram(self: Any, data: Any, bins: int, mask: Any) -> Any:
    values = data.data if mask is None else data.data[mask.data]
    inside = values[(values >= 0) & (values < bins)]
    return Handle(np.bincount(inside.astype(np.int64), minlength=bins).astype(np.int32), tl.int32)


@method
def create_print(self: Any, prefix: str, hex: bool, values: list[Any], is_signed: list[bool]) -> None:
    for value in values:
        shown = numbers(value)
        text = np.array2string(shown, formatter={"int": lambda x: f"0x{x:02x}"}) if hex and shown.dtype.kind in "iu" else str(shown)
        print(f"{tuple(self.grid_idx)}{prefix}{text}")
    if not values:
        print(f"{tuple(self.grid_idx)}{prefix}")
