"""Do the programs of one launch depend on each other? On a GPU they run at the same time, in no order.

A race is a plain store by one program to a place that another program of the same launch loads, or to which it stores
another value, unless atomic operations put the two in order (ordering.py); so is a plain access to a place that another
program changes by atomic operations. Several programs that store the same value are tolerated.

Accesses are kept as the interpreter's own arrays, without a copy, and compared when the launch has ended: first as
ranges of addresses, which settles most kernels, then element by element in a table of the stored part, and only where
that shows a conflict, or plain and atomic accesses meet, event by event with the order that atomics give.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ka_bridge import ordering
from ka_bridge.ordering import DIFFERENT, LANES, LOADS, RELAXED

ELEMENT_LIMIT = 1 << 22  # accessed elements per launch and kind that are kept
TABLE_LIMIT = 1 << 24
SYNC_LIMIT = 1 << 18
NOBODY, SEVERAL = -1, -2
KINDS = ("load", "store", "volatile", "atomic")

# program, lowest and highest address, addresses, mask (None: all), bytes of an element, values (None: no plain store),
# number in the order of execution
Access = tuple[int, int, int, np.ndarray, "np.ndarray | None", int, "np.ndarray | None", int]


class Ledger:
    """The accesses of one launch, by the block of memory that they fall into."""

    def __init__(self, programs: int) -> None:
        self.programs = programs
        self.by_kind: dict[str, dict[int, list[Access]]] = {kind: {} for kind in KINDS}
        self.elements = dict.fromkeys(KINDS, 0)
        self.syncs: list[ordering.Sync] = []
        self.interrupted: set[int] = set()  # programs inside which others ran
        self.serial = 0
        self.given_up = False  # too much to compare

    def note(self, kind: str, block: int, program: int, low: int, high: int, addresses: np.ndarray,
             mask: np.ndarray | None, size: int, values: np.ndarray | None, order: int = RELAXED) -> None:
        """`order`: what an atomic operation, or a volatile load, does for the order of programs."""
        if self.given_up:
            return
        self.serial += 1
        if order != RELAXED and len(self.syncs) < SYNC_LIMIT:
            active = addresses.ravel() if mask is None else addresses[mask]
            if active.size <= LANES:
                self.syncs.append(ordering.Sync(self.serial, program, active, order))
        self.elements[kind] += addresses.size
        if self.elements[kind] > ELEMENT_LIMIT:
            if kind == "store":
                self.give_up()
                return
            addresses, mask = _NO_ADDRESSES, None  # its range only
        self.by_kind[kind].setdefault(block, []).append((program, low, high, addresses, mask, size, values, self.serial))

    def changed_nothing(self) -> None:
        """The atomic operation noted last was a compare-and-swap that did not swap: it releases nothing."""
        if self.syncs and self.syncs[-1].when == self.serial:
            self.syncs[-1].order &= ordering.ACQUIRE

    def give_up(self) -> None:
        self.given_up = True
        self.by_kind = {kind: {} for kind in KINDS}

    def conflicts(self) -> list[tuple[int, str]]:
        """(block, what happens there), at most one per block."""
        found: list[tuple[int, str]] = []
        doubtful: list[int] = []
        for block in dict.fromkeys([*self.by_kind["store"], *self.by_kind["atomic"]]):
            stores, loads, volatile, atomics = (self.by_kind[kind].get(block, []) for kind in ("store", "load", "volatile", "atomic"))
            if not stores and not loads:
                continue
            if not _ranges_meet(stores + atomics, loads + volatile):
                continue
            what = None if atomics or volatile else self._compare(stores, loads)
            if atomics or volatile or (what is not None and self.syncs):
                doubtful.append(block)
            elif what is not None:
                found.append((block, what))
        return found + (self._in_order(doubtful) if doubtful else [])

    def _in_order(self, blocks: list[int]) -> list[tuple[int, str]]:
        """Conflicts that remain with the order that atomics give."""
        events: list[ordering.Event] = []
        tables: dict[int, ordering.Table] = {}
        for block in blocks:
            accesses = [(kind, access) for kind in KINDS for access in self.by_kind[kind].get(block, [])]
            writes = [access for kind, access in accesses if kind in ("store", "atomic")]
            unit = min(access[5] for _, access in accesses)
            first, last = min(a[1] for a in writes), max(a[2] + a[5] for a in writes)
            count = (last - first) // unit + 1
            near = [(kind, access) for kind, access in accesses if access[2] + access[5] > first and access[1] < last]
            if count > TABLE_LIMIT or any(access[3] is _NO_ADDRESSES for _, access in near):
                self.given_up = True
                continue
            here = [_event(kind, block, access, first, unit, count) for kind, access in near]
            tables[block] = ordering.Table(count, unit, here)
            events += here
        return list(ordering.play_back(tables, events, self.syncs, self.programs, self.interrupted).items())

    def _compare(self, stores: list[Access], loads: list[Access]) -> str | None:
        unit = min(access[5] for access in stores + loads)
        first = min(access[1] for access in stores)
        last = max(access[2] + access[5] for access in stores)
        if (last - first) // unit + 1 > TABLE_LIMIT:
            self.given_up = True
            return None
        owner = np.full((last - first) // unit + 1, NOBODY, dtype=np.int32)
        if _stores_differ(stores, owner, first, unit):
            return DIFFERENT
        for access in loads:
            if access[3] is _NO_ADDRESSES:
                self.given_up = True
                continue
            if access[2] >= first and access[1] < last and _loads_what_others_store(access, stores, owner, first, unit):
                return LOADS
        return None


def _event(kind: str, block: int, access: Access, first: int, unit: int, count: int) -> ordering.Event:
    places = _places(access, first, unit)
    values = _values(access, unit) if kind == "store" else None
    if kind != "store":
        places = places[(places >= 0) & (places < count)]
    return ordering.Event(access[7], access[0], block, access[1], access[2] + access[5] - 1, places, kind, values)


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
    addresses, mask, size = access[3:6]
    active = addresses.ravel() if mask is None else addresses[mask]
    at = (active.astype(np.int64) - first) // unit
    return at if size == unit else (at[:, None] + np.arange(size // unit)).ravel()


def _values(access: Access, unit: int) -> np.ndarray:
    addresses, mask, size, values = access[3:7]
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
