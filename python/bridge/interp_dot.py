"""tl.dot and tl.dot_scaled for the CPU interpreter: every operand format and every input precision, with the rounding of the tensor cores.

Products of operands are exact there and sums are float32; here a float32 matrix product does the same but for the order of additions.
The precisions for float32 operands are those of Triton's F32DotTC pass: split each operand into parts of a narrow format, multiply the
parts that matter, smallest first, and zero a NaN that came from splitting an infinity before the main product is added.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from triton._C.libtriton import ir
from triton.runtime import interpreter

from ka_bridge.interp_formats import bf16_to_f32, decode, f32_to_bf16, tf32_round, tf32_truncate
from ka_bridge.interp_ops import Handle, numbers

Array = np.ndarray
_HALF_STEP = 16  # a float16 accumulator is rounded after every instruction, which covers 16 of K
METHODS: dict[str, Callable[..., Any]] = {}

# The four-bit floats of tl.dot_scaled, by code.
_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=np.float32)


def _bf16(x: Array) -> Array:
    return bf16_to_f32(f32_to_bf16(x))


def _parts(x: Array, narrow: Callable[[Array], Array], count: int) -> list[Array]:
    out = []
    for _ in range(count):
        part = narrow(x)
        out.append(part)
        x = x - part
    return out


def _split_product(a: Array, b: Array, narrow: Callable[[Array], Array], count: int, pairs: list[tuple[int, int]]) -> Array:
    left, right = _parts(a, narrow, count), _parts(b, narrow, count)
    small = sum((np.matmul(left[i], right[j]) for i, j in pairs), np.float32(0))
    return np.where(np.isnan(small), np.float32(0), small) + np.matmul(left[0], right[0])


_TWO_PARTS = [(1, 0), (0, 1)]
_THREE_PARTS = [(1, 1), (2, 0), (0, 2), (1, 0), (0, 1)]
# Plain "tf32" has no conversion in the generated code: the hardware reads the upper 19 bits of each float32 operand.
_PRECISIONS: dict[str, Callable[[Array, Array], Array]] = {
    "TF32": lambda a, b: np.matmul(tf32_truncate(a), tf32_truncate(b)),
    "TF32x3": lambda a, b: _split_product(a, b, tf32_round, 2, _TWO_PARTS),
    "BF16x3": lambda a, b: _split_product(a, b, _bf16, 2, _TWO_PARTS),
    "BF16x6": lambda a, b: _split_product(a, b, _bf16, 3, _THREE_PARTS),
    "IEEE": np.matmul,
}


def _half_accumulate(a: Array, b: Array, acc: Array) -> Array:
    for start in range(0, a.shape[-1], _HALF_STEP):
        step = slice(start, start + _HALF_STEP)
        acc = (np.matmul(a[..., step], b[..., step, :]) + acc.astype(np.float32)).astype(np.float16)
    return acc


def _multiply(a: Array, b: Array, acc: Array, precision: str) -> Array:
    """acc + a @ b in acc's type; a and b hold numbers."""
    if a.dtype.kind in "iu":
        product = np.matmul(a.astype(np.float64), b.astype(np.float64))  # exact: below 2**53 for every K that fits in memory
        return (product.astype(np.int64) + acc).astype(acc.dtype)
    if a.dtype == np.float64:
        return np.matmul(a, b) + acc
    is_single = a.dtype == np.float32
    a, b = a.astype(np.float32), b.astype(np.float32)
    if acc.dtype == np.float16:
        return _half_accumulate(a, b, acc)
    return (_PRECISIONS[precision if is_single else "IEEE"](a, b) + acc).astype(acc.dtype)


def create_dot(self: Any, a: Any, b: Any, acc: Any, precision: Any, max_num_imprecise_acc: int) -> Any:
    # Narrow formats decode to float32 but are no float32 operands: rounding them to TF32 would change nothing.
    name = precision.name if a.dtype.scalar.is_fp32() else "IEEE"
    return Handle(_multiply(numbers(a), numbers(b), acc.data, name), acc.dtype.scalar)


def _scaled_operand(handle: Any, scale: Any, kind: Any, packed_along_k: bool, k_axis: int) -> Array:
    """The operand as float32 with its block scales applied; k_axis is -1 for the left operand, -2 for the right."""
    if kind == ir.ScaleDotElemTypeTY.E2M1:
        axis = k_axis if packed_along_k else -3 - k_axis
        data = np.moveaxis(handle.data, axis, -1)
        pairs = np.stack([data & 0xF, data >> 4], axis=-1).reshape(*data.shape[:-1], -1)
        values = np.moveaxis(_E2M1[pairs], -1, axis)
    else:
        values = numbers(handle).astype(np.float32)
    if scale is None:
        return values
    if scale.data.dtype == np.uint8 and not scale.dtype.scalar.is_floating():
        factors = np.ldexp(np.float32(1), scale.data.astype(np.int32) - 127).astype(np.float32)
        factors = np.where(scale.data == 0xFF, np.float32(np.nan), factors)
    else:
        factors = decode(scale.data, scale.dtype.scalar.name).astype(np.float32)
    block = values.shape[k_axis] // factors.shape[-1]
    spread = np.repeat(factors, block, axis=-1)
    return values * (spread if k_axis == -1 else np.swapaxes(spread, -1, -2))


def create_dot_scaled(self: Any, a: Any, a_scale: Any, a_kind: Any, b: Any, b_scale: Any, b_kind: Any, fast_math: bool,
                      a_k_pack: bool, b_k_pack: bool, acc: Any) -> Any:
    left = _scaled_operand(a, a_scale, a_kind, a_k_pack, -1)
    right = _scaled_operand(b, b_scale, b_kind, b_k_pack, -2)
    return Handle((np.matmul(left, right) + acc.data).astype(acc.data.dtype), acc.dtype.scalar)


METHODS["create_dot"] = create_dot
METHODS["create_dot_scaled"] = create_dot_scaled


def without_tf32() -> None:
    """From now on "tf32" is computed as plain float32."""
    _PRECISIONS["TF32"] = np.matmul


def options(old: interpreter.InterpreterOptions) -> dict[str, Any]:
    """What the compiler allows on this hardware and the interpreter does not."""
    allowed = old.allowed_dot_input_precisions
    return {"allowed_dot_input_precisions": tuple(dict.fromkeys((*allowed, "bf16x3", "bf16x6")))}
