"""Does one program rely on its threads running in step? On a GPU its warps do not.

A store to global memory is seen by the thread that made it; another thread of the same program sees it for certain only after
`tl.debug_barrier()`. The compiler puts barriers around shared memory, not around global memory. Which thread holds which element is the
compiler's choice, but equal positions in blocks of equal shape (dimensions of size 1 left out) are held by the same thread. So these are hazards:

- a load of what an earlier store of the program put there from another position, or from a block of another shape;
- a scalar that is stored, loaded again and followed by the store of a block: one thread stores a scalar, all load it. As long as only scalars
  are stored afterwards, the thread that stores them is the one that reads its own;
- one store that writes different values to one place from several positions.

A barrier and any atomic operation end the memory of what was stored. A program of a single warp runs in step and is not examined.

Stores are kept as the interpreter's arrays. Only a load from where the program has stored makes a table of who stored what.
"""

from __future__ import annotations

import numpy as np

TABLE_LIMIT = 1 << 26  # elements of a block of memory
WAITING_LIMIT = 1 << 21  # elements whose addresses are kept
LOADED = "a program loads what another of its threads stored, without tl.debug_barrier() in between"
STORED = "one store writes different values to the same place"

# serial number, addresses, mask (None: all)
Store = tuple[int, np.ndarray, "np.ndarray | None"]


def _active(values: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    return values.ravel() if mask is None else values[np.broadcast_to(mask, values.shape)]


def _positions(shape: tuple[int, ...], mask: np.ndarray | None) -> np.ndarray:
    return _active(np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape), mask)


class _Block:
    """What the running program has stored into one block of memory."""

    def __init__(self, start: int, nbytes: int, unit: int) -> None:
        self.start, self.nbytes, self.unit = start, nbytes, unit
        self.low, self.high = 1 << 64, -1
        self.waiting: list[Store] = []  # stores that the table does not show yet
        self.elements = 0               # of those
        self.serial: np.ndarray | None = None
        self.position: np.ndarray | None = None

    def forget(self) -> None:
        self.low, self.high = 1 << 64, -1
        self.waiting.clear()
        self.elements = 0

    def places(self, addresses: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
        return (_active(addresses, mask) - np.uint64(self.start)) // np.uint64(self.unit)

    def catch_up(self) -> None:
        if self.serial is None:
            # touched pages only cost memory
            self.serial = np.zeros(self.nbytes // self.unit + 1, dtype=np.int32)
            self.position = np.zeros(self.serial.size, dtype=np.int32)
        for serial, addresses, mask in self.waiting:
            at = self.places(addresses, mask)
            self.serial[at] = serial
            self.position[at] = _positions(addresses.shape, mask)
        self.waiting.clear()
        self.elements = 0


class Hazards:
    """The accesses of one launch, program by program; `found` holds (block, what happens there)."""

    def __init__(self, warps: int) -> None:
        self.on = warps > 1
        self.blocks: dict[int, _Block] = {}
        self.shapes: dict[tuple[int, ...], int] = {}
        self.shape_of: list[int] = [0]  # by serial number of a store
        self.since = 0                  # the last store before the program began, or before its last barrier
        self.scalar: int | None = None  # a block of memory from which a scalar was loaded that one thread had stored
        self.found: dict[tuple[int, str], None] = {}

    def begin(self) -> None:
        """A new program, or a barrier."""
        self.scalar = None
        if self.since == len(self.shape_of) - 1:
            return
        self.since = len(self.shape_of) - 1
        for block in self.blocks.values():
            block.forget()

    def barrier(self) -> None:
        scalar = self.scalar  # what was loaded before stays what it was
        self.begin()
        self.scalar = scalar

    def atomic(self, addresses: np.ndarray) -> None:
        """An atomic operation; the compiler brings the program's threads together around it."""
        if addresses.size > 1 and self.scalar is not None:
            self.found[self.scalar, LOADED] = None
        self.barrier()

    def _shape(self, addresses: np.ndarray) -> int:
        shape = tuple(n for n in addresses.shape if n > 1)
        return self.shapes.setdefault(shape, len(self.shapes))

    def stored(self, start: int, nbytes: int, low: int, high: int, addresses: np.ndarray, mask: np.ndarray | None, size: int,
               values: np.ndarray) -> None:
        if not self.on or nbytes // size > TABLE_LIMIT:
            return
        if addresses.size > 1:
            if self.scalar is not None:
                self.found[self.scalar, LOADED] = None
            if _differs_within(addresses, mask, values, low, size):
                self.found[start, STORED] = None
        block = self.blocks.get(start)
        if block is None:
            block = self.blocks[start] = _Block(start, nbytes, size)
        self.shape_of.append(self._shape(addresses))
        block.waiting.append((len(self.shape_of) - 1, addresses, mask))
        block.low, block.high = min(block.low, low), max(block.high, high)
        block.elements += addresses.size
        if block.elements > WAITING_LIMIT:
            block.catch_up()

    def loaded(self, start: int, low: int, high: int, addresses: np.ndarray, mask: np.ndarray | None) -> None:
        block = self.blocks.get(start)
        if block is None or high < block.low or low > block.high:
            return
        block.catch_up()
        at = block.places(addresses, mask)
        serial = block.serial[at]
        recent = serial > self.since
        if not recent.any():
            return
        if (block.position[at] != _positions(addresses.shape, mask))[recent].any():
            self.found[start, LOADED] = None
        elif {self.shape_of[n] for n in np.unique(serial[recent]).tolist()} != {self._shape(addresses)}:
            self.found[start, LOADED] = None
        elif addresses.size == 1:
            self.scalar = start


def _differs_within(addresses: np.ndarray, mask: np.ndarray | None, values: np.ndarray, low: int, size: int) -> bool:
    """Whether a store has two values for one place; ascending addresses, as most stores have, and dense ones are settled at once."""
    active = _active(addresses, mask)
    if active.size < 2 or (active[1:] > active[:-1]).all():
        return False
    places = (active - np.uint64(low)).astype(np.int64) // size
    if int(places.max()) < 8 * places.size and np.bincount(places).max() == 1:
        return False
    order = np.argsort(active, kind="stable")
    ascending = active[order]
    same = ascending[1:] == ascending[:-1]
    if not same.any():
        return False
    if values.shape != addresses.shape:
        values = values.reshape(addresses.shape) if values.size == addresses.size else np.broadcast_to(values, addresses.shape)
    written = _active(values, mask)[order]
    bits = np.ascontiguousarray(written).view(f"u{written.dtype.itemsize}")
    return bool((same & (bits[1:] != bits[:-1])).any())
