"""Every address that an interpreted kernel really loads from or stores to: is it allowed, and what does it tell?

The blocks of memory that a kernel may use are known (given tensors, allocations of this and of earlier calls, the
file's constants). A lane outside all of them is reported and left out before the access happens, so that a wild
pointer does no harm. Lanes that are masked off count for nothing: an output is "stored to" only when a lane was.

    watch = Watch(); install(watch)                  # once, in interpreter mode
    watch.begin(order="shuffled", seed=7)            # before each call of the candidate
    watch.add(start, nbytes, "input 0")              # as memory becomes known
    watch.launch("relu_kernel", own=True, grid=...)  # around each launch ...
    watch.launched()

The programs of a grid run in the order that `begin` names: forward, reverse, shuffled, or nested (nesting.py). One that waits for
a later one never ends: a program that makes many times the accesses that it made before in forward order is stopped by Waits. The
programs of a cooperative launch take turns instead (residents.py).
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from typing import Any

import numpy as np
from triton.runtime import interpreter

from ka_bridge.blocks import Blocks
from ka_bridge.hazards import Hazards
from ka_bridge.nesting import Turns
from ka_bridge.ordering import ACQUIRE, RELAXED, order_of
from ka_bridge.races import Ledger
from ka_bridge.residents import Residents
from ka_bridge.sampled import Enough, Sampler

REPORT_LIMIT = 16
PATIENCE = (20, 2000)  # times the accesses of a program in forward order, plus
_Handle = interpreter.TensorHandle


class Waits(BaseException):
    """A program waits for one that this order runs later."""


class Watch(Blocks):
    """What one call of the candidate does to memory."""

    def __init__(self) -> None:
        self.usual: dict[str, int] = {}  # kernel -> most accesses of one program in forward order
        self.kernel = ""
        self.sampler: Sampler | None = None  # some programs of each launch run, at the sizes that were given
        self.begin()

    def begin(self, order: str = "forward", seed: int = 0) -> None:
        self.order, self.seed = order, seed
        self.forget()
        self.stored: dict[int, tuple[int, int]] = {}  # block -> range of the stores of the file's own kernels
        self.out_of_bounds: list[dict[str, Any]] = []
        self.races: list[dict[str, Any]] = []
        self.unchecked: dict[str, None] = {}
        self.waits: str | None = None
        self.atomics = False
        self.active = False
        self.quiet = False

    def stores_to(self, low: int, end: int) -> bool:
        """Whether a kernel of the file stored into [low, end)."""
        return any(first < end and low < last for first, last in self.stored.values())

    # launches and programs

    def launch(self, kernel: str, own: bool, grid: tuple[int, int, int], warps: int = 4, cooperative: bool = False) -> None:
        self.kernel, self.own, self.grid, self.warps = kernel, own, grid, warps
        self.programs = math.prod(grid)
        self.resident = cooperative and self.programs > 1 and self.sampler is None
        self.number = self.accesses = self.most = 0
        rng = random.Random(f"order {self.seed}")
        self.step, self.shift = 1, 0
        if self.order == "shuffled" and self.programs > 2:
            self.step = rng.randrange(self.programs // 3 + 1, self.programs)
            while math.gcd(self.step, self.programs) != 1:
                self.step += 1
            self.shift = rng.randrange(self.programs)
        elif self.order == "reverse":
            self.step, self.shift = -1, -1
        usual = self.usual.get(kernel)
        self.patience = PATIENCE[0] * usual + PATIENCE[1] if usual and self.order != "forward" and not self.resident else math.inf
        self.ledger = Ledger(self.programs) if self.programs > 1 and self.sampler is None else None
        # interrupted programs have no lanes to compare
        self.hazards = Hazards(1 if self.order == "nested" or self.sampler is not None else warps)
        self.turns: Turns | Residents | None = None
        self.active = True

    def in_turns(self, function: Any) -> Any:
        """What the loop over the grid is to call for each program."""
        if self.sampler is not None:
            return self.sampler.in_turns(function)
        if self.resident:
            self.turns = Residents(function, self, self.warps)
        elif self.order == "nested" and self.programs > 1:
            self.turns = Turns(function, self)
        return self.turns or function

    def place_of(self, x: int, y: int, z: int) -> tuple[int, int, int]:
        """The program that runs when it is the turn of (x, y, z); of residents all of them."""
        self.most = max(self.most, self.accesses)
        self.accesses = 0
        self.hazards.begin()
        _, ny, nz = (1, 1, 1) if self.resident else self.grid
        self.number = (((x * ny + y) * nz + z) * self.step + self.shift) % (1 if self.resident else self.programs)
        return self.number // (ny * nz), self.number // nz % ny, self.number % nz

    def launched(self) -> None:
        """The launch has ended, or was broken off."""
        self.active = self.quiet = False
        if self.order == "forward":
            self.usual[self.kernel] = max(self.usual.get(self.kernel, 0), self.most, self.accesses)
        self.turns = None
        ledger, self.ledger = self.ledger, None
        if not self.own:
            return
        for block, what in [*self.hazards.found, *(ledger.conflicts() if ledger is not None else [])]:
            entry = {"kernel": self.kernel, "what": what, "memory": self.names[block]}
            if entry not in self.races and len(self.races) < REPORT_LIMIT:
                self.races.append(entry)
        if ledger is not None and ledger.given_up:
            self.unchecked[self.kernel] = None

    # accesses

    def access(self, kind: str, pointers: Any, mask: np.ndarray | None, values: np.ndarray | None = None, order: int = RELAXED) -> np.ndarray | None:
        """Notes one access. Returns None when it may happen as it is, else the lanes that may."""
        self.sync = order
        self.accesses += 1
        if self.resident and kind == "store":
            self.turns.idle = 0
        if self.accesses > self.patience:
            if self.sampler is not None:
                raise Enough
            self.waits = self.kernel
            raise Waits(self.kernel)
        addresses = pointers.data
        if not addresses.size:
            return None
        size = max(pointers.get_element_ty().primitive_bitwidth // 8, 1)
        low, high = int(addresses.min()), int(addresses.max())
        block = self._inside(low, high + size)
        if mask is not None and mask.all():
            mask = None
        if not block and mask is not None:  # lanes that are masked off may point anywhere
            chosen = addresses[mask]
            if not chosen.size:
                return None
            low, high = int(chosen.min()), int(chosen.max())
            block = self._inside(low, high + size)
        elif mask is not None and not mask.any():
            return None
        if block and not self._protected(kind, block):
            self._note(kind, block, low, high, addresses, mask, size, values)
            self._note_thread(kind, block, low, high, addresses, mask, size, values)
            return None
        return self._scattered(kind, addresses, mask, size, values)

    def _protected(self, kind: str, block: int) -> bool:
        return self.sampler is not None and kind in ("store", "atomic") and block in self.sampler.readonly

    def _note(self, kind: str, block: int, low: int, high: int, addresses: np.ndarray, mask: np.ndarray | None, size: int, values: np.ndarray | None) -> None:
        if kind in ("store", "atomic") and self.own:
            first, last = self.stored.get(block, (low, high + size))
            self.stored[block] = (min(first, low), max(last, high + size))
        if kind == "atomic":
            self.atomics = True
        if self.sampler is not None:
            self.sampler.note(kind, block, addresses, mask, size)
        if self.ledger is not None:
            self.ledger.note(kind, block, self.number, low, high, addresses, mask, size, values, self.sync)

    def _note_thread(self, kind: str, block: int, low: int, high: int, addresses: np.ndarray, mask: np.ndarray | None, size: int, values: np.ndarray | None) -> None:
        if kind == "load":
            self.hazards.loaded(block, low, high, addresses, mask)
        elif kind == "store":
            nbytes = self.ends[bisect_right(self.starts, block) - 1] - block
            self.hazards.stored(block, nbytes, low, high, addresses, mask, size, values)
        else:
            self.hazards.atomic(addresses)

    def _scattered(self, kind: str, addresses: np.ndarray, mask: np.ndarray | None, size: int, values: np.ndarray | None) -> np.ndarray | None:
        """An access to several blocks, or outside of them."""
        starts = np.array(self.starts or [0], dtype=np.uint64)
        ends = np.array(self.ends or [0], dtype=np.uint64)
        at = np.maximum(np.searchsorted(starts, addresses, side="right") - 1, 0)
        known = (addresses >= starts[at]) & (addresses < ends[at]) & (ends[at] - addresses >= np.uint64(size))
        for block in filter(lambda start: self._protected(kind, start), self.starts):
            known &= starts[at] != np.uint64(block)
        active = np.ones(addresses.shape, dtype=bool) if mask is None else np.broadcast_to(mask, addresses.shape)
        allowed = active & known
        for index in np.unique(at[allowed]):
            lanes = allowed & (at == index)
            here = addresses[lanes]
            place = (kind, self.starts[index], int(here.min()), int(here.max()))
            spread = None if values is None else np.broadcast_to(values, addresses.shape)
            self._note(*place, here, None, size, None if spread is None else spread[lanes])
            self._note_thread(*place, addresses, lanes, size, spread)
        wild = active & ~known
        if not wild.any():
            return None
        self._report(kind, addresses[wild], size)
        return allowed

    def _report(self, kind: str, addresses: np.ndarray, size: int) -> None:
        """Names the block that the first address is next to."""
        if len(self.out_of_bounds) >= REPORT_LIMIT:
            return
        address = int(addresses[0])
        entry: dict[str, Any] = {"what": kind, "kernel": self.kernel}
        places = [(start - address - size if address < start else address - end, start, address < start)
                  for start, end in zip(self.starts, self.ends)]
        if places:
            distance, start, before = min(places)
            near = -size < distance < 1 << 24
            entry.update({"memory": self.names[start], "side": "before" if before else "after"} if near else {})
        if any(all(seen.get(k) == v for k, v in entry.items()) for seen in self.out_of_bounds):
            return
        if "memory" in entry:
            end = self.ends[self.starts.index(start)]
            nearest = int(addresses[addresses < start].max()) if before else int(addresses[addresses >= start].min())
            entry["byte"] = max(start - nearest - size if before else nearest - end, 0)
        self.out_of_bounds.append(entry | {"elements": int(addresses.size)})


def install(watch: Watch) -> None:
    """Puts the watch between the interpreter and memory. To be called after interp.install."""
    builder = interpreter.InterpreterBuilder
    load, store = builder.create_masked_load, builder.create_masked_store
    rmw, cas, reduce = builder.create_atomic_rmw, builder.create_atomic_cas, getattr(builder, "create_descriptor_reduce", None)
    set_index, barrier = builder.set_grid_idx, getattr(builder, "create_barrier", lambda self: None)
    on = lambda: watch.active and not watch.quiet

    def lanes(handle: Any) -> np.ndarray:
        return getattr(handle, "data", handle) if not isinstance(handle, np.ndarray) else handle

    def masked(like: Any, allowed: np.ndarray) -> Any:
        return allowed if isinstance(like, np.ndarray) else _Handle(allowed, interpreter.tl.int1)

    def create_masked_load(self: Any, ptrs: Any, mask: Any, other: Any, cache: Any, eviction: Any, volatile: Any) -> Any:
        kind, order = ("volatile", ACQUIRE) if volatile else ("load", RELAXED)  # one waits on a flag with the first
        if on() and (allowed := watch.access(kind, ptrs, lanes(mask), None, order)) is not None:
            mask = masked(mask, allowed)
        value = load(self, ptrs, mask, other, cache, eviction, volatile)
        return after(self, value) if volatile and on() and watch.resident else value

    def create_masked_store(self: Any, ptrs: Any, value: Any, mask: Any, *rest: Any, **named: Any) -> Any:
        if on() and (allowed := watch.access("store", ptrs, lanes(mask), value.data)) is not None:
            mask = masked(mask, allowed)
        return store(self, ptrs, value, mask, *rest, **named)

    def create_atomic_rmw(self: Any, op: Any, ptrs: Any, value: Any, mask: Any, semantic: Any, scope: Any) -> Any:
        if on() and (allowed := watch.access("atomic", ptrs, lanes(mask), None, order_of(semantic, scope))) is not None:
            mask = masked(mask, allowed)
        return after(self, quietly(rmw, self, op, ptrs, value, mask, semantic, scope))

    def create_atomic_cas(self: Any, ptrs: Any, compared: Any, value: Any, semantic: Any, scope: Any) -> Any:
        if on() and watch.access("atomic", ptrs, None, None, order_of(semantic, scope)) is not None:
            return _Handle(np.zeros_like(compared.data), compared.dtype.scalar)
        old = quietly(cas, self, ptrs, compared, value, semantic, scope)
        if on() and watch.ledger is not None and (old.data != compared.data).all():
            watch.ledger.changed_nothing()
        return after(self, old)

    def create_descriptor_reduce(self: Any, kind: Any, descriptor: Any, value: Any, indices: Any) -> Any:
        if on():
            ptrs, mask = descriptor.materialize_pointers(indices)
            if watch.access("atomic", ptrs, lanes(mask)) is not None:
                return None
        return quietly(reduce, self, kind, descriptor, value, indices)

    def after(builder: Any, result: Any) -> Any:
        if watch.turns is not None and on():
            watch.turns.interrupt(builder)
        return result

    def quietly(function: Any, *args: Any) -> Any:
        """An atomic operation that is made of a load and a store."""
        before, watch.quiet = watch.quiet, True
        try:
            return function(*args)
        finally:
            watch.quiet = before

    def set_grid_idx(self: Any, x: int, y: int, z: int) -> None:
        return set_index(self, *(watch.place_of(x, y, z) if watch.active else (x, y, z)))

    def create_barrier(self: Any) -> Any:
        if watch.active:
            watch.hazards.barrier()
        return barrier(self)

    hooks = [create_masked_load, create_masked_store, create_atomic_rmw, create_atomic_cas, set_grid_idx, create_barrier]
    for hook in hooks + ([create_descriptor_reduce] if reduce is not None else []):
        setattr(builder, hook.__name__, hook)
