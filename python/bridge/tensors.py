"""Tensors as bytes in memory files: the writer of arenas, the validating reader, and the dtype names.

An arena holds tensors at offsets that are multiples of ALIGNMENT; each is followed by a gap of CANARY_BYTES filled
with CANARY, so that an access past the end of a tensor is seen: the pattern is a NaN in every floating type.
A TensorSpec is {"dtype", "shape", "strides" (in elements), "offset", "nbytes"}. With contiguous=False the bytes are
the storage span from element 0 on, so that the strides apply as they are; with contiguous=True they are the logical
row-major elements and `strides` only reports the layout that the tensor had.

Only exact torch.Tensor and torch.nn.Parameter objects are read: methods of a subclass are foreign code.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from typing import Any

import torch

from ka_bridge.conn import write_all

ALIGNMENT = 64
CANARY_BYTES = 256
PIECE_ELEMENTS = 1 << 24
CANARY = b"\xf5\xff" * (CANARY_BYTES // 2)

DTYPES: dict[str, torch.dtype] = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
NAMES: dict[torch.dtype, str] = {dtype: name for name, dtype in DTYPES.items()}

Spec = dict[str, Any]


class Unsupported(ValueError):
    """A value that the protocol does not carry; the text names it."""


def lacks_memory(exc: BaseException) -> bool:
    """Whether there was no room for a tensor, on the host, on the GPU or in a file between the processes."""
    if isinstance(exc, OSError):
        return exc.errno in (errno.EFBIG, errno.ENOMEM, errno.ENOSPC)
    return isinstance(exc, (MemoryError, torch.OutOfMemoryError)) or "DefaultCPUAllocator" in str(exc)


def check_supported(tensor: Any, what: str) -> None:
    """Unsupported unless `tensor` is a plain strided tensor of one of DTYPES."""
    kind = type(tensor)
    if kind is not torch.Tensor and kind is not torch.nn.Parameter:
        raise Unsupported(f"{what} is of the tensor class {kind.__name__}; only plain torch.Tensor is supported")
    if tensor.dtype not in NAMES:
        dtype = str(tensor.dtype).removeprefix("torch.")
        raise Unsupported(f"{what} has dtype {dtype}, which is not supported; accepted: {', '.join(DTYPES)}")
    if tensor.layout is not torch.strided:
        layout = str(tensor.layout).removeprefix("torch.")
        raise Unsupported(f"{what} has layout {layout}; only dense (strided) tensors are supported")


def span_elements(shape: list[int], strides: list[int]) -> int:
    """Number of elements from the first to the last addressed one; 0 for an empty tensor."""
    if 0 in shape:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides))


def describe(tensor: torch.Tensor, contiguous: bool = False) -> Spec:
    """The spec without an offset."""
    shape, strides = list(tensor.shape), list(tensor.stride())
    count = tensor.numel() if contiguous else span_elements(shape, strides)
    return {"dtype": NAMES[tensor.dtype], "shape": shape, "strides": strides, "nbytes": count * tensor.element_size()}


class ArenaWriter:
    """Appends tensors to an empty memory file that somebody else owns (the descriptor is not closed here)."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.end = 0

    def reserve(self, nbytes: int) -> int:
        """Takes `nbytes` at the next aligned offset, puts the canary behind them, returns the offset."""
        offset = (self.end + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        write_all(self.fd, CANARY, offset + nbytes)
        self.end = offset + nbytes + CANARY_BYTES
        return offset

    def write(self, tensor: torch.Tensor, contiguous: bool) -> Spec:
        check_supported(tensor, "a tensor")
        spec = describe(tensor, contiguous)
        place = spec["offset"] = self.reserve(spec["nbytes"])
        for piece in _pieces(tensor, contiguous):
            nbytes = piece.numel() * piece.element_size()
            write_all(self.fd, (ctypes.c_char * nbytes).from_address(piece.data_ptr()), place)
            place += nbytes
        return spec


def _pieces(tensor: torch.Tensor, contiguous: bool) -> Iterator[torch.Tensor]:
    """CPU tensors whose bytes, one after the other, are the ones to write. From a GPU it comes in pieces: a second copy of
    gigabytes in this process would not fit."""
    with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
        plain = torch.Tensor.detach(tensor).resolve_neg()
        if contiguous:
            flat = plain.contiguous().reshape(-1)
        else:
            count = span_elements(list(plain.shape), list(plain.stride()))
            flat = plain.as_strided((count,), (1,), plain.storage_offset())
        step = flat.numel() if flat.device.type == "cpu" else PIECE_ELEMENTS
        for start in range(0, flat.numel(), max(step, 1)):
            yield flat[start : start + step].cpu()


def write_tensor(target: int | ArenaWriter, tensor: torch.Tensor, contiguous: bool) -> Spec:
    """Appends to an arena, or writes to the start of an empty file given by its descriptor."""
    arena = ArenaWriter(target) if isinstance(target, int) else target
    return arena.write(tensor, contiguous)


def read_tensor(mapping: Any, spec: Spec, copy: bool = False) -> torch.Tensor:
    """The tensor at spec["offset"] of a writable buffer (an mmap), sharing its memory unless `copy`.

    ValueError when the spec does not fit: the buffer may come from another process.
    """
    dtype = DTYPES.get(spec.get("dtype", ""))
    if dtype is None:
        raise ValueError(f"unknown dtype {spec.get('dtype')!r}")
    shape, strides, offset = spec["shape"], spec["strides"], spec["offset"]
    numbers = [*shape, *strides, offset, spec["nbytes"]]
    if any(type(n) is not int or n < 0 for n in numbers) or len(shape) != len(strides):
        raise ValueError("shape, strides, offset and nbytes must be non-negative integers of matching length")
    count = span_elements(shape, strides)
    if spec["nbytes"] < count * dtype.itemsize or offset % dtype.itemsize:
        raise ValueError("nbytes does not cover the strides, or the offset is not aligned")
    if offset + spec["nbytes"] > len(mapping):
        raise ValueError("the tensor ends outside the buffer")
    if count == 0:
        return torch.empty_strided(shape, strides, dtype=dtype)
    flat = torch.frombuffer(mapping, dtype=dtype, count=count, offset=offset)
    view = flat.as_strided(shape, strides)
    if not copy:
        return view
    own = torch.empty_strided((count,), (1,), dtype=dtype)
    own.copy_(flat)
    return own.as_strided(shape, strides)


def canaries_intact(mapping: Any, specs: list[Spec]) -> bool:
    """Whether the gap behind every listed tensor still holds the pattern."""
    ends = (spec["offset"] + spec["nbytes"] for spec in specs)
    return all(bytes(mapping[end : end + CANARY_BYTES]) == CANARY for end in ends)


def file_size(fd: int) -> int:
    return os.fstat(fd).st_size
