"""Do the programs of one launch depend on each other? On a GPU they run at the same time, in no order.

A race is a plain store by one program to a place that another program of the same launch loads, or to which it stores
another value. Several programs that store the same value are tolerated. A launch that performs atomic operations may
use them to put its programs in order, which is not followed here: such a launch is not examined.

Accesses are kept as the interpreter's own arrays, without a copy, and compared when the launch has ended: first as
ranges of addresses, which settles most kernels, then element by element in a table of the stored part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ELEMENT_LIMIT = 1 << 22  # accessed elements per launch and kind that are kept
TABLE_LIMIT = 1 << 24
NOBODY, SEVERAL = -1, -2

# program, lowest and highest address, addresses, mask (None: all), bytes of an element, values (None: a load)
Access = tuple[int, int, int, np.ndarray, "np.ndarray | None", int, "np.ndarray | None"]


class Ledger:
    """The plain accesses of one launch, by the block of memory that they fall into."""

    def __init__(self) -> None:
        self.stores: dict[int, list[Access]] = {}
        self.loads: dict[int, list[Access]] = {}
        self.elements = [0, 0]
        self.given_up = False  # too many stores
        self.atomic = False

    def note(self, block: int, access: Access) -> None:
        store = access[6] is not None
        if self.given_up or self.atomic:
            return
        self.elements[store] += access[3].size
        if self.elements[store] > ELEMENT_LIMIT:
            if store:
                self.give_up()
                return
            access = (*access[:3], _NO_ADDRESSES, None, access[5], None)  # its range only
        (self.stores if store else self.loads).setdefault(block, []).append(access)

    def note_atomic(self) -> None:
        self.atomic = True
        self.stores, self.loads = {}, {}

    def give_up(self) -> None:
        self.given_up = True
        self.stores, self.loads = {}, {}

    def conflicts(self) -> list[tuple[int, str]]:
        """(block, what happens there), at most one per block."""
        found = []
        for block, stores in self.stores.items():
            loads = self.loads.get(block, [])
            if not _ranges_meet(stores, loads):
                continue
            what = self._compare(stores, loads)
            if what is not None:
                found.append((block, what))
        return found

    def _compare(self, stores: list[Access], loads: list[Access]) -> str | None:
        unit = min(access[5] for access in stores + loads)
        first = min(access[1] for access in stores)
        last = max(access[2] + access[5] for access in stores)
        if (last - first) // unit + 1 > TABLE_LIMIT:
            self.given_up = True
            return None
        owner = np.full((last - first) // unit + 1, NOBODY, dtype=np.int32)
        if _stores_differ(stores, owner, first, unit):
            return "programs store different values to the same place"
        for access in loads:
            if access[3] is _NO_ADDRESSES:
                self.given_up = True
                continue
            if access[2] >= first and access[1] < last and _loads_what_others_store(access, stores, owner, first, unit):
                return "a program loads what another program stores"
        return None


_NO_ADDRESSES = np.empty(0, dtype=np.uint64)


def _ranges_meet(stores: list[Access], loads: list[Access]) -> bool:
    """Whether the range that one program stores to overlaps what another program stores to or loads."""
    hulls: dict[int, list[int]] = {}
    for program, low, high, *_ in stores:
        hull = hulls.setdefault(program, [low, high])
        hull[0], hull[1] = min(hull[0], low), max(hull[1], high)
    table = np.array([(low, high, program) for program, (low, high) in hulls.items()], dtype=np.uint64)
    table = table[np.argsort(table[:, 0])]
    if (table[1:, 0] <= np.maximum.accumulate(table[:, 1])[:-1]).any():
        return True
    if not loads:
        return False
    # the ranges are apart and in order: a load may touch only that of its own program
    bounds = np.array([access[1:3] for access in loads], dtype=np.uint64)
    programs = np.array([access[0] for access in loads], dtype=np.uint64)
    begin = np.searchsorted(table[:, 1], bounds[:, 0])
    end = np.searchsorted(table[:, 0], bounds[:, 1], side="right")
    own = table[np.minimum(begin, len(table) - 1), 2] == programs
    return bool((end - begin > own).any())


def _places(access: Access, first: int, unit: int) -> np.ndarray:
    """Indices into the table; an element wider than the unit has several."""
    _, _, _, addresses, mask, size, _ = access
    active = addresses.ravel() if mask is None else addresses[mask]
    at = (active.astype(np.int64) - first) // unit
    return at if size == unit else (at[:, None] + np.arange(size // unit)).ravel()


def _values(access: Access, unit: int) -> np.ndarray:
    _, _, _, addresses, mask, size, values = access
    if values.shape != addresses.shape:
        values = values.reshape(addresses.shape) if values.size == addresses.size else np.broadcast_to(values, addresses.shape)
    active = values.ravel() if mask is None else values[mask]
    if active.dtype.itemsize != size:
        active = active.astype(f"i{size}")
    return np.ascontiguousarray(active).view(f"u{unit}")


def _stores_differ(stores: list[Access], owner: np.ndarray, first: int, unit: int) -> bool:
    """Fills in who stores where; True when two programs leave different values at one place."""
    value = np.zeros(owner.size, dtype=f"u{unit}")
    latest = np.zeros_like(value)
    groups: dict[int, list[Access]] = {}
    for access in stores:
        groups.setdefault(access[0], []).append(access)
    for program, accesses in groups.items():
        parts = [_places(access, first, unit) for access in accesses]
        for places, access in zip(parts, accesses):
            latest[places] = _values(access, unit)
        places = np.concatenate(parts)
        before = owner[places]
        others = (before != NOBODY) & (before != program)
        if others.any():
            if (value[places[others]] != latest[places[others]]).any():
                return True
        value[places] = latest[places]
        owner[places] = np.where(others, SEVERAL, program)
    return False


def _loads_what_others_store(load: Access, stores: list[Access], owner: np.ndarray, first: int, unit: int) -> bool:
    places = _places(load, first, unit)
    places = places[(places >= 0) & (places < owner.size)]
    who = owner[places]
    if ((who >= 0) & (who != load[0])).any():
        return True
    shared = places[who == SEVERAL]
    if not shared.size:
        return False
    # all programs that stored there stored the same value: one that is among them reads what it wrote
    own: list[Any] = [_places(access, first, unit) for access in stores if access[0] == load[0]]
    return not own or not np.isin(shared, np.concatenate(own)).all()
