"""Memory for the sizes that were given, reserved and not filled: what a few programs touch is all that is ever there.

Untouched memory reads as zeros and costs nothing. Inputs lie in pages that cannot be written (they do not count as memory of the process);
an input of which some rows were drawn repeats these rows down to its end. Blocks lie far apart, so that an offset that
overflows 32 bits leads out of its block and into no other.
"""

from __future__ import annotations

import ctypes
import mmap
import weakref
from typing import Any

import numpy as np
import torch

from ka_bridge.fence import span_bytes
from ka_bridge.tensors import DTYPES

APART = 64 << 30
FIRST_PLACE = 0x0800_0000_0000
PAGE = mmap.PAGESIZE
REAL_BYTES = 256 << 20  # up to here constants and copies are written, tensors repeated, in memory
MOST_MAPPINGS = 16384

_libc = ctypes.CDLL(None, use_errno=True)
_mmap, _munmap = _libc.mmap, _libc.munmap
_mmap.restype = ctypes.c_void_p
_mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_FIXED, _NORESERVE = 0x10, 0x4000
_READ, _BOTH = mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE
_copy, _empty, _set, _frombuffer = torch.Tensor.copy_, torch.empty, torch.Tensor.set_, torch.frombuffer
_storage, _empty_strided = torch.Tensor.untyped_storage, torch.empty_strided


def _map(place: int, nbytes: int, prot: int, flags: int, fd: int = -1, offset: int = 0) -> int:
    at = _mmap(place, nbytes, prot, mmap.MAP_PRIVATE | flags, fd, offset)
    if at is None or at == ctypes.c_void_p(-1).value:
        raise MemoryError(f"{nbytes} bytes cannot be reserved for the given sizes")
    return at


def _whole(nbytes: int) -> int:
    """Pages, and one behind them that belongs to nobody."""
    return -(-nbytes // PAGE) * PAGE + PAGE


def repeats(shape: list[int], strides: list[int], itemsize: int, rows: int) -> bool:
    """Whether the first `rows` rows of a tensor can be repeated over all of it: in memory, or page by page."""
    total, part = span_bytes(shape, strides, itemsize), rows * strides[0] * itemsize
    contiguous = span_bytes(shape, strides, itemsize) == itemsize * int(np.prod(shape, dtype=object))
    return contiguous and (total <= REAL_BYTES or (part % PAGE == 0 and total // part < MOST_MAPPINGS))


class Lazy:
    """The memory of one call for the given sizes. `seen(start, nbytes, name)` is told about every block."""

    virtual = True
    REAL_BYTES = REAL_BYTES

    def __init__(self, seen: Any = lambda start, nbytes, name: None) -> None:
        self._seen = seen
        self._count = 0
        self.readonly: set[int] = set()
        self.dtypes: dict[int, torch.dtype] = {}
        self.filled_blocks: set[int] = set()  # those that host code wrote a constant or a copy to
        self.zeros: set[int] = set()  # of these: where that is zeros throughout, and nothing else
        self.unfilled: set[int] = set()  # of these: where the constant is not really there

    def _reserve(self, nbytes: int, prot: int) -> int:
        self._count += 1
        return _map(FIRST_PLACE + self._count * APART, _whole(nbytes), prot, mmap.MAP_ANONYMOUS | _NORESERVE)

    def _tensor(self, place: int, nbytes: int, size: Any, stride: Any, dtype: torch.dtype) -> torch.Tensor:
        """A tensor of reserved memory, which is given back when nothing uses it any more (the file may keep it)."""
        raw = (ctypes.c_char * nbytes).from_address(place)
        weakref.finalize(raw, _munmap, place, _whole(nbytes)).atexit = False
        return _set(_empty(0, dtype=dtype), _storage(_frombuffer(raw, dtype=torch.uint8)), 0, tuple(size), tuple(stride))

    def fresh(self, size: Any, stride: Any, dtype: torch.dtype, device: torch.device, what: str) -> torch.Tensor:
        nbytes = span_bytes(size, stride, dtype.itemsize)
        if nbytes == 0:
            return _empty_strided(tuple(size), tuple(stride), dtype=dtype)
        place = self._reserve(nbytes, _BOTH)
        self.dtypes[place] = dtype
        self._seen(place, nbytes, what)
        return self._tensor(place, nbytes, size, stride, dtype)

    def filled(self, source: torch.Tensor, what: str) -> torch.Tensor:
        """Memory that host code has written: a constant, or a copy of an argument."""
        made = self.fresh(tuple(source.shape), source.stride(), source.dtype, source.device, what)
        if source.numel():
            self.filled_blocks.add(_storage(made).data_ptr())
            _copy(made, source)
        return made

    def constant(self, made: torch.Tensor, real: bool, zeros: bool = False) -> torch.Tensor:
        """Memory that host code writes to; not `real`: it would, but that is too much to be written. `zeros`: made as zeros."""
        if made.numel():
            self.filled_blocks.add(_storage(made).data_ptr())
            (self.zeros.add if zeros else self.zeros.discard)(_storage(made).data_ptr())
            if not real:
                self.unfilled.add(_storage(made).data_ptr())
        return made

    def given(self, spec: dict[str, Any], fd: int, arena: Any, name: str, writable: bool) -> Any:
        """An input or a weight: as drawn, its drawn rows repeated, or zeros where nothing was drawn."""
        if "scalar" in spec:
            return spec["scalar"]
        dtype, shape, strides = DTYPES[spec["dtype"]], spec["shape"], spec["strides"]
        nbytes = span_bytes(shape, strides, dtype.itemsize)
        if nbytes == 0:
            return _empty_strided(tuple(shape), tuple(strides), dtype=dtype)
        drawn = spec["drawn"] if "drawn" in spec and fd >= 0 else 0
        if drawn and (spec["offset"] < 0 or spec["offset"] + drawn > len(arena) or drawn > nbytes):
            raise ValueError("a tensor lies outside the arena")
        by_pages = 0 < drawn < nbytes and nbytes > REAL_BYTES
        place = self._reserve(nbytes, _READ if by_pages or not (drawn or writable) else _BOTH)
        if by_pages:
            self._repeat_pages(place, nbytes, fd, spec["offset"], drawn)
        elif drawn:
            self._repeat(place, nbytes, np.frombuffer(arena, dtype=np.uint8, count=drawn, offset=spec["offset"]))
        if not writable:
            self.readonly.add(place)
        self._seen(place, nbytes, name)
        return self._tensor(place, nbytes, shape, strides, dtype)

    @staticmethod
    def _repeat(place: int, nbytes: int, part: np.ndarray) -> None:
        target = np.frombuffer((ctypes.c_char * nbytes).from_address(place), dtype=np.uint8)
        whole = nbytes // part.size * part.size
        target[:whole].reshape(-1, part.size)[:] = part
        target[whole:] = part[:nbytes - whole]

    @staticmethod
    def _repeat_pages(place: int, nbytes: int, fd: int, offset: int, part: int) -> None:
        for start in range(0, nbytes, part):
            _map(place + start, min(part, -(-(nbytes - start) // PAGE) * PAGE), _READ, _FIXED, fd, offset)
