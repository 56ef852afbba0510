"""tl.reduce, tl.associative_scan and tl.map_elementwise for the CPU interpreter, on whole arrays.

Triton's interpreter calls the combining function once per element. Here it is called once per level of a tree, with blocks in place of
scalars: log2(n) calls. The tree is that of a GPU with four warps: a thread's own neighbours first, then element i with element i + n/2, the
butterfly exchange between threads. So a function that is not commutative, or a NaN that a comparison loses, shows here as there, and sums
of float16 and bfloat16 are rounded at every level.

A combining function with a branch on its arguments cannot take blocks: branching on a block raises BlockTruth (interp_syntax), and the
tree is then climbed element by element.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import triton.language as tl

from ka_bridge.interp_formats import STORAGE, decode, encode
from ka_bridge.interp_ops import Handle, numbers, of_numbers
from ka_bridge.interp_syntax import BlockTruth

Array = np.ndarray
_THREADS = 128
IN_TREES = [False]  # float sums in the order of a GPU too, instead of numpy's faster one (interp_rounding)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value


def _wrap(data: Array, dtype: Any) -> Any:
    """Storage array -> tensor; an array without dimensions becomes a scalar tensor."""
    if data.ndim == 0:
        return tl.core.tensor(Handle(data.reshape(1), dtype), dtype)
    return tl.core.tensor(Handle(data, dtype), tl.block_type(dtype, list(data.shape)))


def _unwrap(result: Any, dtypes: Sequence[Any], shape: tuple[int, ...]) -> list[Array]:
    """What a combining function returned -> storage arrays of the operands' types."""
    results = result if isinstance(result, (tuple, list, tl.core.tuple)) else (result,)
    out = []
    for value, dtype in zip(results, dtypes, strict=True):
        if isinstance(value, tl.core.tensor):
            same = value.handle.dtype.scalar == dtype
            data = value.handle.data if same else of_numbers(numbers(value.handle), dtype).data
        else:
            data = of_numbers(np.array(_plain(value)), dtype).data
        out.append(np.broadcast_to(data.reshape(shape) if data.size > 1 else data.reshape((1,) * len(shape)), shape))
    return out


def _combine(function: Callable[..., Any], left: list[Array], right: list[Array], dtypes: Sequence[Any]) -> list[Array]:
    """One call for all elements, or one per element when the function branches."""
    shape = left[0].shape
    try:
        return _unwrap(function(*map(_wrap, left + right, [*dtypes] * 2)), dtypes, shape)
    except BlockTruth:
        pass
    out = [np.empty(shape, a.dtype) for a in left]
    for index in np.ndindex(*shape):
        scalars = [_wrap(np.asarray(a[index]), t) for a, t in zip(left + right, [*dtypes] * 2)]
        for target, value in zip(out, _unwrap(function(*scalars), dtypes, (1,))):
            target[index] = value[0]
    return out


def _tree(data: list[Array], combine: Callable[[list[Array], list[Array]], list[Array]]) -> list[Array]:
    """Combines along the first axis: first the neighbours that one of 128 threads holds (up to 4), then halves."""
    own = min(max(data[0].shape[0] // _THREADS, 1), 4)
    if own > 1:
        kept = [a[0::own] for a in data]
        for position in range(1, own):
            kept = combine(kept, [a[position::own] for a in data])
        data = kept
    while (n := data[0].shape[0]) > 1:
        half = n // 2
        data = combine([a[:half] for a in data], [a[half:] for a in data])
    return [a[0] for a in data]


def _narrow_sum(dtype: Any) -> Callable[[list[Array], list[Array]], list[Array]]:
    if dtype.name in STORAGE:
        return lambda left, right: [encode(decode(left[0], dtype.name) + decode(right[0], dtype.name), dtype.name)]
    return lambda left, right: [left[0] + right[0]]


def _extreme(data: Array, largest: bool) -> Array:
    """tl.max and tl.min: NaN is passed over, as maxnum and minnum do, unless there is nothing else."""
    if data.dtype.kind == "f":
        return (np.fmax if largest else np.fmin).reduce(data, axis=0)
    return (np.max if largest else np.min)(data, axis=0)


def _first_extreme(values: Array, indices: Array, largest: bool) -> list[Array]:
    """tl.argmax and tl.argmin where no NaN is present: of equal values the one with the lowest index."""
    best = _extreme(values, largest)
    candidates = np.where(values == best, indices, np.iinfo(indices.dtype).max)
    return [best, candidates.min(axis=0)]


def _reduce_rows(data: list[Array], dtypes: Sequence[Any], function: Any) -> list[Array]:
    standard = tl.standard
    first = data[0]
    if function is standard._sum_combine:
        if dtypes[0].name in ("fp16", *STORAGE):
            return _tree(data, _narrow_sum(dtypes[0]))
        if IN_TREES[0] and first.dtype.kind == "f":
            return _tree(data, lambda left, right: [left[0] + right[0]])
        return [np.sum(first, axis=0, dtype=first.dtype)]
    if function in (standard._elementwise_max, standard._elementwise_min) and dtypes[0].name not in STORAGE:
        return [_extreme(first, function is standard._elementwise_max)]
    if function in (standard._argmax_combine_tie_break_left, standard._argmin_combine_tie_break_left) and dtypes[0].name not in STORAGE:
        if first.dtype.kind != "f" or not np.isnan(first).any():
            return _first_extreme(first, data[1], function is standard._argmax_combine_tie_break_left)
    if function is standard._xor_combine:
        return [np.bitwise_xor.reduce(first, axis=0)]
    return _tree(data, lambda left, right: _combine(function, left, right, dtypes))


def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: Any = False, **kwargs: Any) -> Any:
    """Replaces tl.reduce."""
    if isinstance(input, tl.core.tensor):
        return reduce((input,), axis, combine_fn, keep_dims)[0]
    axis, keep_dims = _plain(axis), _plain(keep_dims)
    shape = input[0].handle.data.shape if input[0].type.is_block() else (1,)
    if axis is not None and not -len(shape) <= axis < len(shape):
        raise ValueError(f"reduction axis {axis} is out of range for a block of {len(shape)} dimensions")
    dtypes = [t.type.scalar for t in input]
    arrays = [t.handle.data.reshape(-1) if axis is None else np.moveaxis(t.handle.data, axis, 0) for t in input]
    outputs = _reduce_rows(arrays, dtypes, combine_fn)
    if keep_dims:
        kept = tuple(1 if axis is None or d == axis % len(shape) else n for d, n in enumerate(shape))
        outputs = [np.reshape(a, kept) for a in outputs]
    return tuple(_wrap(np.asarray(a), t) for a, t in zip(outputs, dtypes))


def _scan_rows(data: list[Array], dtypes: Sequence[Any], function: Any) -> list[Array]:
    """Inclusive scan along the first axis by doubling distances."""
    if not IN_TREES[0] and dtypes[0].name not in ("fp16", *STORAGE) and function in (tl.standard._sum_combine, tl.standard._prod_combine):
        run = np.cumsum if function is tl.standard._sum_combine else np.cumprod
        return [run(data[0], axis=0, dtype=data[0].dtype)]
    n = data[0].shape[0]
    position = np.arange(n).reshape(n, *([1] * (data[0].ndim - 1)))
    distance = 1
    while distance < n:
        # Whole arrays, so that shapes stay powers of two; what wrapped around is not used.
        joined = _combine(function, [np.roll(a, distance, axis=0) for a in data], data, dtypes)
        data = [np.where(position >= distance, new, old) for new, old in zip(joined, data)]
        distance *= 2
    return data


def associative_scan(input: Any, axis: Any, combine_fn: Any, reverse: Any = False, **kwargs: Any) -> Any:
    """Replaces tl.associative_scan."""
    if isinstance(input, tl.core.tensor):
        return associative_scan((input,), axis, combine_fn, reverse)[0]
    axis, reverse = _plain(axis), _plain(reverse)
    step = -1 if reverse else 1
    dtypes = [t.type.scalar for t in input]
    arrays = [np.moveaxis(t.handle.data, axis, 0)[::step] for t in input]
    outputs = [np.moveaxis(a[::step], 0, axis) for a in _scan_rows(arrays, dtypes, combine_fn)]
    return tuple(_wrap(np.ascontiguousarray(a), t) for a, t in zip(outputs, dtypes))


def map_elementwise(function: Any, *args: Any, pack: Any = 1, _semantic: Any = None, **kwargs: Any) -> Any:
    """Replaces tl.map_elementwise: `pack` neighbours of every operand go into one call of the scalar function."""
    pack = _plain(pack)
    tensors = _semantic.broadcast_tensors(*(_semantic.to_tensor(a) for a in args))
    shape = tensors[0].handle.data.shape
    flat = [np.broadcast_to(t.handle.data, shape).reshape(-1) for t in tensors]
    columns: list[list[Array]] = []
    dtypes: list[Any] = []
    for start in range(0, flat[0].size, pack):
        scalars = [_wrap(np.asarray(a[start + j]), t.type.scalar) for a, t in zip(flat, tensors) for j in range(pack)]
        result = function(*scalars)
        results = result if isinstance(result, (tuple, list, tl.core.tuple)) else (result,)
        handles = [_semantic.to_tensor(r).handle for r in results]
        dtypes = [h.dtype.scalar for h in handles[::pack]]
        columns.append([h.data.reshape(()) for h in handles])
    outputs = []
    for number, dtype in enumerate(dtypes):
        values = [column[number * pack + j] for column in columns for j in range(pack)]
        outputs.append(_wrap(np.array(values).reshape(shape), dtype))
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
