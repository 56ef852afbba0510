"""Number formats that numpy does not have: bfloat16, the 8-bit floats, TF32.

Triton's interpreter stores bfloat16 as uint16 bits and 8-bit floats as uint8 bits. The functions here turn such bits into numpy floats
and back, with the rounding that an NVIDIA GPU uses. They know nothing of Triton's types: a format is named by a string ("bf16", "fp8e5").
"""
from __future__ import annotations

import functools

import numpy as np

# name: (mantissa bits, exponent bias, code of +NaN or None, code of the largest finite value)
_EIGHT_BIT: dict[str, tuple[int, int, int | None, int]] = {
    "fp8e5": (2, 15, 0x7F, 0x7B),
    "fp8e4nv": (3, 7, 0x7F, 0x7E),
    "fp8e4b15": (3, 15, None, 0x7F),
    "fp8e4b8": (3, 8, 0x80, 0x7F),
    "fp8e5b16": (2, 16, 0x80, 0x7F),
}
# Formats whose bits are stored in an integer array, with the dtype of that array.
STORAGE: dict[str, type] = {"bf16": np.uint16, **{name: np.uint8 for name in _EIGHT_BIT}}


def bf16_to_f32(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def f32_to_bf16(values: np.ndarray, toward_zero: bool = False) -> np.ndarray:
    """Round to nearest, ties to even, as cvt.rn.bf16.f32 does; every NaN becomes 0x7fff."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    if not toward_zero:
        bits = bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))
    out = (bits >> np.uint32(16)).astype(np.uint16)
    nan = np.isnan(values)
    if nan.any():
        out[nan] = 0x7FFF
    return out.reshape(np.shape(values))


@functools.cache
def _eight_bit_values(name: str) -> np.ndarray:
    """The value of each of the 256 codes."""
    mantissa_bits, bias, nan, largest = _EIGHT_BIT[name]
    code = np.arange(256)
    exponent = (code & 0x7F) >> mantissa_bits
    mantissa = code & ((1 << mantissa_bits) - 1)
    scale = np.where(exponent == 0, 1 - bias, exponent - bias) - mantissa_bits
    values = np.ldexp(np.where(exponent == 0, mantissa, mantissa + (1 << mantissa_bits)).astype(np.float64), scale)
    values = np.where(code >= 128, -values, values)
    if nan is not None and nan < 128:
        values[(code & 0x7F) > largest] = np.nan
        if name == "fp8e5":
            values[0x7C], values[0xFC] = np.inf, -np.inf
    elif nan is not None:
        values[nan] = np.nan
    return values.astype(np.float32)


def _encode_eight_bit(values: np.ndarray, name: str, toward_zero: bool) -> np.ndarray:
    _, _, nan, largest = _EIGHT_BIT[name]
    grid = _eight_bit_values(name)[:largest + 1].astype(np.float64)
    size = np.abs(values.astype(np.float64))
    below = np.clip(np.searchsorted(grid, size, side="right") - 1, 0, largest)
    code = below
    if not toward_zero:
        above = np.minimum(below + 1, largest)
        middle = (grid[below] + grid[above]) / 2
        up = (size > middle) | ((size == middle) & (below % 2 == 1))
        code = np.where(up, above, below)
    zero_has_sign = nan is None or nan < 128
    negative = np.signbit(values) & ((code > 0) | zero_has_sign)
    code = np.where(negative, code | 0x80, code)
    if nan is not None:
        code = np.where(np.isnan(values), nan, code)
    return code.astype(np.uint8)


def decode(data: np.ndarray, name: str) -> np.ndarray:
    """Bits of a format in STORAGE -> float32 (exact); any other array is returned as it is."""
    if name == "bf16":
        return bf16_to_f32(data)
    if name in _EIGHT_BIT:
        return _eight_bit_values(name)[data]
    return data


def encode(values: np.ndarray, name: str, toward_zero: bool = False) -> np.ndarray:
    """Numbers -> the storage array of the float format `name` (a format of STORAGE, fp16, fp32 or fp64)."""
    if name == "bf16":
        return f32_to_bf16(_to_odd(values), toward_zero)
    if name in _EIGHT_BIT:
        return _encode_eight_bit(values, name, toward_zero)
    target = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64}[name]
    out = values.astype(target)
    if toward_zero and values.dtype.kind == "f" and out.itemsize < values.itemsize:
        out = np.where(np.abs(out) > np.abs(values), np.nextafter(out, target(0)), out)
    return out


def _to_odd(values: np.ndarray) -> np.ndarray:
    """float64 -> float32 such that a second rounding to fewer bits is as good as one: inexact results get an odd last bit."""
    if values.dtype != np.float64:
        return values.astype(np.float32)
    near = values.astype(np.float32)
    inexact = (near.astype(np.float64) != values) & np.isfinite(near)
    bits = near.view(np.uint32).copy()
    bits -= (inexact & (np.abs(near) > np.abs(values))).astype(np.uint32)
    return (bits | inexact.astype(np.uint32)).view(np.float32)


def tf32_truncate(values: np.ndarray) -> np.ndarray:
    """What the tensor core does with a float32 operand: it ignores the low 13 bits (NaN stays NaN)."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32) & np.uint32(0xFFFFE000)
    return _keep_nan(bits, values)


def tf32_round(values: np.ndarray) -> np.ndarray:
    """cvt.rna.tf32.f32: to nearest, ties away from zero, 10 explicit mantissa bits."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    finite = np.isfinite(values).reshape(bits.shape)
    bits = np.where(finite, bits + np.uint32(0x1000), bits) & np.uint32(0xFFFFE000)
    return _keep_nan(bits, values)


def _keep_nan(bits: np.ndarray, values: np.ndarray) -> np.ndarray:
    out = bits.view(np.float32).reshape(np.shape(values))
    nan = np.isnan(values)
    return np.where(nan, np.float32(np.nan), out) if nan.any() else out
