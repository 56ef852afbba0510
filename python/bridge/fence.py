"""Memory with a fence around it: what the candidate is given and what it allocates.

Every tensor that a candidate sees lies between two strips of known bytes (the canaries): a store just outside the
tensor changes a strip and is reported. Fresh memory is filled with a poison value, so that an element nobody wrote
is visible. The strips in front of and behind given tensors read as NaN (or, in the other mode, as another finite
value), so that a load outside the tensor shows as a difference between two runs with different poison.

    fence = Fence(Poison("nan"))
    t = fence.fresh(size, stride, torch.float32, device, "allocation at k.py:31")
    ...
    fence.broken()     # [{"what": "allocation at k.py:31", "side": "after", "byte": 0, "bytes": 4}]

On the CPU both sides are fenced; on a GPU the allocator gives no control over what lies in front of a tensor whose
storage offset is to be 0, so only the strip behind is there.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any, Callable

import numpy as np
import torch

from ka_bridge.poison import BACK_BYTES, Poison

FRONT_BYTES = 4096
# A kernel could tell our memory from the allocator's by its addresses: in some calls it lies as in a GPU's allocator.
ASCENDING_BYTES = 1 << 26
# Shared pages are refused where no cgroup counts them.
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
ALIGNMENTS = {"nan": 64, "pattern": 4096}

SIGNED = {1: (np.int8, torch.int8), 2: (np.int16, torch.int16), 4: (np.int32, torch.int32), 8: (np.int64, torch.int64)}


def span_bytes(size: Any, stride: Any, itemsize: int) -> int:
    """Bytes from the first to the last element; 0 for a tensor without elements."""
    if 0 in size:
        return 0
    return (1 + sum((n - 1) * s for n, s in zip(size, stride))) * itemsize


_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
_memcmp.restype = ctypes.c_int


def same_bytes(one: np.ndarray, other: np.ndarray) -> bool:
    """Bitwise equality of two contiguous byte arrays, without a copy."""
    return one.size == other.size and _memcmp(one.ctypes.data, other.ctypes.data, one.size) == 0


class Zone:
    """One fenced block. The tensor keeps its memory alive by itself; the zone only watches it."""

    def __init__(self, what: str, block: Any, start: int, span: int, strip: np.ndarray) -> None:
        self.what = what
        self.block = block  # numpy array of bytes (CPU) or uint8 tensor (GPU)
        self.start = start
        self.span = span
        self.strip = strip

    def raw(self) -> np.ndarray:
        """The tensor's own bytes on the CPU (a copy when they lie on a GPU)."""
        if isinstance(self.block, np.ndarray):
            return self.block[self.start:self.start + self.span]
        return _to_cpu(self.block[:self.span]).numpy()

    def lay(self, fill: np.ndarray | None) -> None:
        """Writes the strips and, when given, the tensor's bytes."""
        end = self.start + self.span
        if isinstance(self.block, np.ndarray):
            self.block[:self.start] = self.strip[:self.start]
            self.block[end:] = self.strip[:self.block.size - end]
            if fill is not None:
                self.block[self.start:end] = fill
            return
        _copy(self.block[end:], torch.from_numpy(self.strip[:_numel(self.block) - end].copy()))
        if fill is not None:
            _copy(self.block[:end], torch.from_numpy(np.ascontiguousarray(fill)))

    def broken(self) -> list[dict[str, Any]]:
        end = self.start + self.span
        tail = self.block[end:]
        if not isinstance(self.block, np.ndarray):
            tail = _to_cpu(tail).numpy()
        found = []
        for side, got in (("before", self.block[:self.start] if self.start else None), ("after", tail)):
            if got is None or same_bytes(got, self.strip[:got.size]):
                continue
            wrong = (got != self.strip[:got.size]).nonzero()[0]
            first = int(wrong[0]) if side == "after" else int(got.size - 1 - wrong[-1])
            found.append({"what": self.what, "side": side, "byte": first, "bytes": int(wrong.size)})
        return found


# Bound before any foreign code is imported, so that later patches of torch do not reach the judge's own work.
_copy = torch.Tensor.copy_
_numel = torch.Tensor.numel
_empty = torch.empty
_empty_strided = torch.empty_strided
_fill = torch.Tensor.fill_
_view = torch.Tensor.view
_frombuffer = torch.frombuffer
_set = torch.Tensor.set_
_storage = torch.Tensor.untyped_storage


def _to_cpu(tensor: torch.Tensor, to: Any = torch.Tensor.to) -> torch.Tensor:
    return to(tensor, "cpu")


class Fence:
    """All zones of one run."""

    def __init__(self, poison: Poison, seen: Callable[[Zone], None] = lambda zone: None) -> None:
        self.poison = poison
        self._seen = seen  # told about every block
        self.zones: list[Zone] = []
        self._ascending: np.ndarray | None = None

    def _zone(self, what: str, span: int, device: torch.device, given: bool) -> Zone:
        strip = self.poison.strip(given)
        if device.type == "cpu":
            alignment = ALIGNMENTS[self.poison.mode]
            block = self._pages(FRONT_BYTES + span + BACK_BYTES + alignment)
            start = FRONT_BYTES + (-(block.ctypes.data + FRONT_BYTES)) % alignment
            block = block[:start + span + BACK_BYTES]
        else:
            block = _empty(span + BACK_BYTES, dtype=torch.uint8, device=device)
            start = 0
        zone = Zone(what, block, start, span, strip)
        self.zones.append(zone)
        self._seen(zone)
        return zone

    def _pages(self, nbytes: int) -> np.ndarray:
        """Never from the heap: its addresses are none that a GPU gives. In some calls later blocks lie behind earlier ones, as a
        GPU's allocator has it; the system itself goes downwards."""
        if self.poison.mode != "pattern" or nbytes > ASCENDING_BYTES:
            return np.frombuffer(mmap.mmap(-1, nbytes, PRIVATE), dtype=np.uint8)
        if self._ascending is None or self._ascending.size < nbytes:
            self._ascending = np.frombuffer(mmap.mmap(-1, ASCENDING_BYTES, PRIVATE), dtype=np.uint8)
        block, self._ascending = self._ascending[:nbytes], self._ascending[nbytes:]
        return block

    def _tensor(self, zone: Zone, size: Any, stride: Any, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
        if zone.span == 0:
            return _empty_strided(tuple(size), tuple(stride), dtype=dtype, device=device)
        if isinstance(zone.block, np.ndarray):
            flat = _frombuffer(zone.block, dtype=torch.uint8, count=zone.span, offset=zone.start)
        else:
            flat = zone.block
        return _set(_empty(0, dtype=dtype, device=device), _storage(flat), 0, tuple(size), tuple(stride))

    def fresh(self, size: Any, stride: Any, dtype: torch.dtype, device: torch.device, what: str) -> torch.Tensor:
        """A tensor full of poison."""
        span = span_bytes(size, stride, dtype.itemsize)
        zone = self._zone(what, span, device, False)
        if isinstance(zone.block, np.ndarray) or dtype.itemsize not in SIGNED or dtype.itemsize == 1:
            zone.lay(self.poison.fill(dtype, span))
        else:  # a large block is filled where it lies
            zone.lay(None)
            bits = int(self.poison.fill(dtype, dtype.itemsize).view(SIGNED[dtype.itemsize][0])[0])
            _fill(_view(zone.block[:span], SIGNED[dtype.itemsize][1]), bits)
        return self._tensor(zone, size, stride, dtype, device)

    def filled(self, source: torch.Tensor, what: str) -> torch.Tensor:
        """A fenced copy of a tensor that was just created, with the same layout."""
        size, stride, dtype, device = tuple(source.shape), source.stride(), source.dtype, source.device
        zone = self._zone(what, span_bytes(size, stride, dtype.itemsize), device, False)
        zone.lay(None)
        return _copy(self._tensor(zone, size, stride, dtype, device), source)

    def given(self, raw: np.ndarray, size: Any, stride: Any, dtype: torch.dtype, device: torch.device,
              what: str) -> tuple[torch.Tensor, Zone]:
        """A tensor that is handed to the candidate; `raw` are the bytes of its span."""
        zone = self._zone(what, raw.size, device, True)
        zone.lay(raw)
        return self._tensor(zone, size, stride, dtype, device), zone

    def again(self, zone: Zone, raw: np.ndarray) -> None:
        """Other values in a tensor of an earlier run: same object, same address."""
        zone.strip = self.poison.strip(True)
        zone.lay(raw)
        self.zones.append(zone)
        self._seen(zone)

    def broken(self) -> list[dict[str, Any]]:
        return [entry for zone in self.zones for entry in zone.broken()]
