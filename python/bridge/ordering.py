"""Are the programs of a launch that touch the same memory put in order by atomic operations?

The interpreter runs one program after the other, a GPU runs them at the same time: that one access came first here says
nothing. It came first everywhere only if its program released something afterwards (an atomic operation that is not
relaxed) and the other program acquired it before its own access, directly or through others. So the launch is played
back with the clocks of a thread sanitizer: `clock[p]` is the last event of program p that the running program can rely
on, and each address used by atomics keeps what was released there.

A ticket that is drawn before the data are stored orders nothing, a counter that is raised after them does. What a
program computes may still depend on who came first: that shows as another answer when programs run in another order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from triton.runtime.interpreter import _ir

RELAXED, ACQUIRE, RELEASE = 0, 1, 2
ORDERS = {_ir.MEM_SEMANTIC.ACQUIRE: ACQUIRE, _ir.MEM_SEMANTIC.RELEASE: RELEASE,
          _ir.MEM_SEMANTIC.ACQUIRE_RELEASE: ACQUIRE | RELEASE}
LANES = 32  # an atomic operation on more places at once is arithmetic, not synchronisation
CLOCKS_LIMIT = 1 << 24  # numbers in all clocks

DIFFERENT = "programs store different values to the same place"
LOADS = "a program loads what another program stores"
MIXED = "a program accesses plainly what another one changes by atomic operations, with nothing that puts them in order"


def order_of(semantic: Any, scope: Any) -> int:
    """What an atomic operation does for the order of programs; within one program's threads only: nothing."""
    if scope == _ir.MEM_SYNC_SCOPE.CTA:
        return RELAXED
    return ORDERS.get(semantic, RELAXED)


@dataclass
class Event:
    """One access in the order of execution. `values`: what a plain store writes; `order`: of an atomic operation."""

    when: int
    program: int
    block: int
    low: int
    high: int
    places: np.ndarray  # indices into the block's table
    kind: str  # load, store, volatile, atomic
    values: np.ndarray | None = None


@dataclass
class Sync:
    """One atomic operation, as far as it puts programs in order."""

    when: int
    program: int
    addresses: np.ndarray
    order: int


class Clocks:
    """What the running program knows of the others."""

    def __init__(self, programs: int, syncs: list[Sync], interrupted: set[int]) -> None:
        self.interrupted = interrupted  # the others run from beginning to end: their clocks are used once
        self.saved: dict[int, np.ndarray] = {}
        self.now = np.full(programs, -1, dtype=np.int64)
        self.program = -1
        self.released: dict[int, np.ndarray] = {}
        self.limit = CLOCKS_LIMIT // max(programs, 1)
        first: dict[int, int] = {}
        self.shared = {a for sync in syncs for a in sync.addresses.tolist() if first.setdefault(a, sync.program) != sync.program}

    def turn(self, program: int) -> None:
        if program == self.program:
            return
        if self.program in self.interrupted:
            self.saved[self.program] = self.now.copy()
        self.program = program
        known = self.saved.pop(program, None)
        self.now[:] = -1 if known is None else known

    def pass_by(self, sync: Sync) -> None:
        self.turn(sync.program)
        if sync.order & ACQUIRE:
            for address in sync.addresses.tolist():
                if address in self.released:
                    np.maximum(self.now, self.released[address], out=self.now)
        if not sync.order & RELEASE:
            return
        self.now[sync.program] = sync.when
        for address in self.shared.intersection(sync.addresses.tolist()):
            before = self.released.get(address)
            if before is not None:
                np.maximum(before, self.now, out=before)
            elif len(self.released) < self.limit:
                self.released[address] = self.now.copy()


class Table:
    """Who stored to each place of one block last, who changed it by atomics last, and who has loaded it."""

    def __init__(self, places: int, unit: int, events: list[Event]) -> None:
        self.owner = {kind: np.full(places, -1, dtype=np.int32) for kind in ("store", "atomic")}
        self.when = {kind: np.zeros(places, dtype=np.int64) for kind in ("store", "atomic")}
        self.value = np.zeros(places, dtype=f"u{unit}")
        self.own: dict[int, list[np.ndarray]] = {}
        self.loads = [event for event in events if event.kind in ("load", "volatile")]
        self.bounds = np.array([(e.when, e.program, e.low, e.high) for e in self.loads], dtype=np.int64).reshape(-1, 4)

    def unordered(self, kind: str, event: Event, now: np.ndarray) -> np.ndarray:
        """For each place: whether another program wrote it, and nothing puts that write before this event."""
        owner = self.owner[kind][event.places]
        foreign = (owner >= 0) & (owner != event.program)
        return foreign & (self.when[kind][event.places] > now[np.maximum(owner, 0)])

    def check(self, event: Event, now: np.ndarray) -> str | None:
        what = self._after_writes(event, now)
        if what is not None or event.kind in ("load", "volatile"):
            return what
        what = self._after_loads(event, now)
        self.owner[event.kind][event.places] = event.program
        self.when[event.kind][event.places] = event.when
        if event.values is not None:
            self.value[event.places] = event.values
            self.own.setdefault(event.program, []).append(event.places)
        return what

    def _after_writes(self, event: Event, now: np.ndarray) -> str | None:
        bad = self.unordered("store", event, now)
        if event.kind in ("atomic", "volatile"):
            return MIXED if bad.any() else None
        if self.unordered("atomic", event, now).any():
            return MIXED
        places = event.places[bad]
        if event.kind == "store":
            return DIFFERENT if (self.value[places] != event.values[bad]).any() else None
        own = self.own.get(event.program)  # all stored the same value there: one that is among them reads what it wrote
        return LOADS if places.size and not (own and np.isin(places, np.concatenate(own)).all()) else None

    def _after_loads(self, event: Event, now: np.ndarray) -> str | None:
        """Loads that this write might just as well have come before."""
        if not self.loads:
            return None
        when, program, low, high = self.bounds.T
        meets = (when < event.when) & (program != event.program) & (low <= event.high) & (high >= event.low)
        for index in np.nonzero(meets & (when > now[program]))[0]:
            load = self.loads[index]
            if event.kind == "atomic" and load.kind == "volatile":
                continue
            common = np.isin(event.places, load.places)
            if event.kind == "store":  # the value that was there already does no harm
                known = (self.owner["store"][event.places] >= 0) & (self.when["store"][event.places] < load.when)
                common &= ~(known & (self.value[event.places] == event.values))
            if common.any():
                return MIXED if event.kind == "atomic" else LOADS
        return None


def play_back(tables: dict[int, Table], events: list[Event], syncs: list[Sync], programs: int,
              interrupted: set[int]) -> dict[int, str]:
    """block -> what happens there without order."""
    clocks = Clocks(programs, syncs, interrupted)
    found: dict[int, str] = {}
    pending = iter(syncs)
    sync = next(pending, None)
    for event in sorted(events, key=lambda e: e.when):
        # what an atomic operation acquires orders what comes after it: nothing made it wait until then itself
        while sync is not None and sync.when < event.when:
            clocks.pass_by(sync)
            sync = next(pending, None)
        clocks.turn(event.program)
        if event.block in found:
            continue
        what = tables[event.block].check(event, clocks.now)
        if what is not None:
            found[event.block] = what
    return found
