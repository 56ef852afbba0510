"""What a candidate returned, as bytes: exact types only, no method of a foreign object is ever called."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from ka_bridge.pretend_gpu import is_host
from ka_bridge.conn import write_all
from ka_bridge.fence import span_bytes
from ka_bridge.poison import Poison
from ka_bridge.structures import NotPacked, packed
from ka_bridge.tensors import ALIGNMENT, NAMES, PIECE_ELEMENTS

_type_name = type.__dict__["__name__"].__get__
_layout = torch.Tensor.layout.__get__
_dtype = torch.Tensor.dtype.__get__
_device = torch.Tensor.device.__get__
_shape = torch.Tensor.shape.__get__
_stride = torch.Tensor.stride
_storage = torch.Tensor.untyped_storage
_offset = torch.Tensor.storage_offset
_data_ptr = torch.Tensor.data_ptr
_is_neg = torch.Tensor.is_neg
_is_conj = torch.Tensor.is_conj
_contiguous = torch.Tensor.contiguous
_to = torch.Tensor.to
_numel = torch.Tensor.numel
_reshape = torch.Tensor.reshape
_narrow = torch.Tensor.narrow
_no_grad = torch.no_grad
_contiguous_copy = np.ascontiguousarray
_ndarray = np.ndarray
_frombuffer = np.frombuffer
_chars = ctypes.c_char
_truncate = os.ftruncate


class TooLarge(Exception):
    """The outputs do not fit into the size that was allowed."""


def structure_of(value: Any) -> tuple[str, list[torch.Tensor]]:
    """The name of the structure and its tensors; a structure that is not understood has none."""
    if value is None:
        return "none", []
    try:
        structure, tensors = packed(value, _is_tensor, True)
    except NotPacked as exc:
        return f"other:{exc}", []
    for tensor in tensors:
        if not readable(tensor):
            return f"other:{why_unreadable(tensor)}", []
    return structure, tensors


def _is_tensor(value: Any) -> bool:
    return type(value) is torch.Tensor


def why_unreadable(tensor: torch.Tensor) -> str:
    if _layout(tensor) is not torch.strided:
        return f"{str(_layout(tensor)).removeprefix('torch.')} tensor"
    if _device(tensor).type not in ("cpu", "cuda"):
        return f"{_device(tensor).type} tensor"
    if _is_neg(tensor) or _is_conj(tensor):
        return "lazily negated tensor"
    size, stride, item = tuple(_shape(tensor)), _stride(tensor), _dtype(tensor).itemsize
    span = span_bytes(size, stride, item)
    if span and _offset(tensor) * item + span > _storage(tensor).nbytes():
        return "tensor without storage"
    return ""


def readable(tensor: torch.Tensor) -> bool:
    return not why_unreadable(tensor)


def contiguous_bytes(tensor: torch.Tensor) -> np.ndarray:
    """Row-major bytes of a strided tensor, read straight from memory (the caller keeps the tensor alive meanwhile)."""
    size, stride, item = tuple(_shape(tensor)), _stride(tensor), _dtype(tensor).itemsize
    span = span_bytes(size, stride, item)
    if span == 0:
        return _frombuffer(b"", dtype=np.uint8)
    memory = (_chars * span).from_address(_data_ptr(tensor))
    view = _ndarray((*size, item), np.uint8, memory, 0, (*(s * item for s in stride), 1))
    return _contiguous_copy(view).reshape(-1)


def row_major(tensor: torch.Tensor) -> np.ndarray:
    """The same of a tensor on any device. What is read from a GPU is copied: nobody else keeps it alive."""
    if _device(tensor).type == "cpu":
        return contiguous_bytes(tensor)
    with _no_grad():
        here = _to(_contiguous(tensor), "cpu")
    return contiguous_bytes(here).copy()


def pieces(tensor: torch.Tensor) -> Iterator[np.ndarray]:
    """The same one after the other: gigabytes on a GPU must not be copied as a whole into this process."""
    if _device(tensor).type == "cpu" or _numel(tensor) <= PIECE_ELEMENTS:
        yield row_major(tensor)
        return
    with _no_grad():
        flat = _reshape(_contiguous(tensor), (-1,))
        for start in range(0, _numel(tensor), PIECE_ELEMENTS):
            yield row_major(_narrow(flat, 0, start, min(PIECE_ELEMENTS, _numel(tensor) - start)))


def written(tensor: torch.Tensor, fd: int, offset: int) -> dict[str, Any]:
    """Writes one of the given tensors as it is now, row-major; its spec."""
    total = 0
    for raw in pieces(tensor):
        if raw.size:
            write_all(fd, raw, offset + total)
        total += int(raw.size)
    shape = [int(n) for n in _shape(tensor)]
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(shape[axis + 1], 1)
    return {"dtype": NAMES[_dtype(tensor)], "shape": shape, "strides": strides, "offset": offset, "nbytes": total}


def aligned_end(spec: dict[str, Any]) -> int:
    return -(-(spec["offset"] + spec["nbytes"]) // ALIGNMENT) * ALIGNMENT


class Collector:
    """Turns what was returned into a report and bytes. Made before the call, with the given tensors' places."""

    def __init__(self, given: list[torch.Tensor], indices: list[int], poison: Poison) -> None:
        self.poison = poison
        self.places = [(index, *memory_range(tensor)) for index, tensor in zip(indices, given)]

    def collect(self, returned: Any, fd: int, limit: int, touched: Callable[[int, int, int], bool], made: set[int],
                after: dict[str, torch.Tensor]) -> dict[str, Any]:
        """The answer's part about what was returned, and about the tensors `after` (by name), whose bytes follow.

        `touched(first, end, storage)` says whether a kernel stored there; `made` is where the memory of this call starts.
        """
        with torch._C.DisableTorchFunction():
            structure, tensors = structure_of(returned)
            outputs, end = [], 0
            for tensor in tensors:
                outputs.append(self._report(tensor, fd, end, limit, touched, made))
                end = aligned_end(outputs[-1])
            later = {}
            for name, tensor in after.items():
                later[name] = written(tensor, fd, end)
                end = aligned_end(later[name])
            if end:
                _truncate(fd, end)
        return {"ok": True, "structure": structure, "outputs": outputs, "buffers_after": later}

    def _report(self, tensor: torch.Tensor, fd: int, offset: int, limit: int, touched: Callable[[int, int, int], bool],
                made: set[int]) -> dict[str, Any]:
        dtype = _dtype(tensor)
        name = NAMES.get(dtype)
        shape = [int(n) for n in _shape(tensor)]
        nbytes = dtype.itemsize
        for n in shape:
            nbytes *= n
        if offset + nbytes > limit:
            raise TooLarge(f"the outputs take more than the {limit} bytes that were expected")
        stored = poisoned = 0
        for raw in pieces(tensor) if name and nbytes else ():
            write_all(fd, raw, offset + stored)
            stored += int(raw.size)
            poisoned += self.poison.count(dtype, raw)
        alias, storage = self._alias(tensor), _storage(tensor).data_ptr()
        return {
            "dtype": name or str(dtype).removeprefix("torch."),
            "shape": shape,
            "strides": [int(n) for n in _stride(tensor)],
            "offset": offset,
            "nbytes": stored,
            "device": "host" if is_host(tensor) else _device(tensor).type,
            "aliases_input": alias,
            "fresh": 0 in shape or alias is not None or storage in made,
            "touched_by_kernel": 0 in shape or touched(*memory_range(tensor), storage),
            "poison": poisoned,
        }

    def _alias(self, tensor: torch.Tensor) -> int | None:
        start, end = memory_range(tensor)
        for index, first, last in self.places:
            if start < last and first < end:
                return index
        return None


def memory_range(tensor: torch.Tensor) -> tuple[int, int]:
    """First and last byte address of the tensor's own elements (equal for an empty tensor)."""
    start = _data_ptr(tensor)
    return start, start + span_bytes(tuple(_shape(tensor)), _stride(tensor), _dtype(tensor).itemsize)
