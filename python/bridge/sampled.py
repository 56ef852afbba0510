"""Some programs of each launch, executed at the sizes that were given.

There the interpreter cannot run all programs of a large grid. It runs the first, the last, those at the ends of each axis, some in a row and
some that a seed chooses; all of them where that is no more work. What a launch may use is counted in accesses to memory, not
in seconds, so that the same kernel is looked at alike on every machine.

A launch is `complete` when each of its programs ran to its end. After one that is not, the memory that it was given holds
part of what it would. Programs that load from there what none of those that ran has stored compute something else
(`tainted`), and what they store is no answer. All launches are looked at in the same parts of their grids, so that the programs
of the second often find what those of the first have stored for them.
"""

from __future__ import annotations

import inspect
import math
import random
import time
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np
from triton.runtime import interpreter

CALL_ACCESSES = 4500  # of all programs of one call, and of one program ...
PROGRAM_ACCESSES = 2400
CALL_LANES = 1 << 24  # ... and how many elements they may be
SAMPLE = 24
IN_A_ROW = 16  # work is often shared among neighbours: one of four, one of eight stores for all
IN_A_ROW_IDLE = 256  # where none of these stores anything
LEAST_SHARE = 60
SECONDS = 20  # only for kernels that compute much and access little: what was not run then proves nothing

_clock = time.monotonic


class Enough(BaseException):
    """A program was stopped: it does more than is looked at."""


def _active(addresses: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    return addresses.ravel() if mask is None else addresses[np.broadcast_to(mask, addresses.shape)]


@dataclass
class Known:
    """Elements of a block, by their addresses in order, that hold what they would; `size` in bytes."""

    places: np.ndarray
    size: int

    def hold(self, addresses: np.ndarray, mask: np.ndarray | None, size: int) -> bool:
        if size != self.size:
            return False
        active = _active(addresses, mask)
        at = np.minimum(np.searchsorted(self.places, active), self.places.size - 1)
        return bool((self.places[at] == active).all())


NOTHING = Known(np.empty(0, dtype=np.uint64), 0)


@dataclass
class Launch:
    """What was seen of one launch."""

    kernel: str
    grid: tuple[int, int, int]
    received: set[int]  # blocks of memory that it was given
    ran: int = 0
    stopped: int = 0
    in_a_row: int = 0  # neighbours that ran to their end
    waits: bool = False  # atomics, or loads of what other programs store in the meantime
    tainted: bool = False
    odd_taint: bool = False  # ... by memory that holds integers, such as offsets
    stores: dict[int, list[np.ndarray]] = field(default_factory=dict)  # block -> first bytes of elements, a row per program
    clean: dict[int, list[np.ndarray]] = field(default_factory=dict)  # the same, of programs that are not tainted
    sizes: dict[int, set[int]] = field(default_factory=dict)  # block -> bytes of an element, as stored
    atomic: set[int] = field(default_factory=set)

    @property
    def programs(self) -> int:
        return math.prod(self.grid)

    @property
    def complete(self) -> bool:
        return self.ran == self.programs and not self.stopped

    def stored(self, block: int) -> np.ndarray:
        rows = self.stores.get(block, [])
        return np.unique(np.concatenate(rows)) if rows else np.empty(0, dtype=np.uint64)


class Sampler:
    """Chooses programs, runs them, and keeps what they store."""

    def __init__(self, watch: Any, memory: Any, launches: int, seed: int) -> None:
        self.watch, self.memory = watch, memory
        self.to_come = max(launches, 1)
        self.accesses_left, self.lanes_left = CALL_ACCESSES, CALL_LANES
        self.deadline = _clock() + SECONDS
        rng = random.Random(f"programs {seed}")
        self.parts = [rng.random() for _ in range(SAMPLE)]
        self.partial: dict[int, Known] = {}  # blocks that are not what they would be, and what is known of them
        self.launches: list[Launch] = []
        self.launch: Launch | None = None

    @property
    def readonly(self) -> set[int]:
        return self.memory.readonly

    def begin(self, kernel: str, grid: tuple[int, int, int], received: set[int]) -> None:
        self.launch = Launch(kernel, grid, received)
        self.launches.append(self.launch)
        self.partial |= {block: NOTHING for block in self.memory.unfilled - self.partial.keys()}

    def in_turns(self, function: Callable[..., Any]) -> Any:
        return _Programs(function, self)

    def numbers(self, share: int) -> Any:
        """Programs by number, as long as the launch may go on."""
        launch, (nx, ny, nz), total = self.launch, self.launch.grid, self.launch.programs
        row = [int(self.parts[0] * total) + k for k in range(IN_A_ROW)]
        some = [0, total - 1, total // 2, nz - 1, (ny - 1) * nz, (nx - 1) * ny * nz, *row]
        some += [int(part * total) for part in self.parts[1:]]
        chosen = list(dict.fromkeys(number % total for number in some))[:SAMPLE]
        before, lanes, known = self.accesses_left, self.lanes_left, set(chosen)
        awaited = {number % total for number in row}
        for count, number in enumerate(chosen):
            yield number
            awaited.discard(number)
            launch.in_a_row = 0 if awaited else IN_A_ROW
            if self._spent(before, share) or (launch.stopped and (launch.waits or count)):
                return
        used, wide = before - self.accesses_left, lanes - self.lanes_left
        rest = total - len(chosen)
        if not launch.stopped and used + used * rest / len(chosen) <= share and wide * rest / len(chosen) <= self.lanes_left:
            yield from self._while(range(total), known, lambda: _clock() > self.deadline)
        elif not launch.stores and not launch.stopped:
            neighbours = [(row[0] + k) % total for k in range(min(IN_A_ROW_IDLE, total))]
            yield from self._while(neighbours, known, lambda: bool(launch.stores) or self._spent(before, share))
            launch.in_a_row = IN_A_ROW_IDLE if known.issuperset(neighbours) else launch.in_a_row

    def _spent(self, before: int, share: int) -> bool:
        return _clock() > self.deadline or before - self.accesses_left >= share or self.lanes_left <= 0

    @staticmethod
    def _while(numbers: Any, known: set[int], over: Callable[[], bool]) -> Any:
        for number in numbers:
            if number not in known:
                if over():
                    return
                known.add(number)
                yield number

    def run(self, function: Callable[..., Any], arguments: dict[str, Any]) -> None:
        launch, builder, (_, ny, nz) = self.launch, interpreter.interpreter_builder, self.launch.grid
        share = max(self.accesses_left // self.to_come, LEAST_SHARE)
        self.to_come = max(self.to_come - 1, 1)
        for number in self.numbers(share) if self.accesses_left > 0 else ():
            self.begin_program(share)
            builder.grid_dim = launch.grid
            builder.grid_idx = (number // (ny * nz), number // nz % ny, number % nz)
            self.watch.number = number
            try:
                function(**arguments)
            except Enough:
                launch.stopped += 1
                self.tainted = True  # what it has stored may be a step on the way
            self.end_program()
        self.end()

    def begin_program(self, share: int) -> None:
        self.watch.accesses = 0
        self.watch.patience = min(PROGRAM_ACCESSES, max(2 * share, LEAST_SHARE))
        self.tainted = False
        self.mine: dict[int, list[np.ndarray]] = {}

    def end_program(self) -> None:
        launch = self.launch
        launch.ran += 1
        launch.tainted |= self.tainted
        self.accesses_left -= self.watch.accesses + 1  # one that does nothing costs something, too
        for block, parts in self.mine.items():
            places = np.unique(np.concatenate(parts))
            launch.stores.setdefault(block, []).append(places)
            if not self.tainted:
                launch.clean.setdefault(block, []).append(places)

    def end(self) -> None:
        """What a launch leaves behind. Where it was not complete, only what its clean programs have stored is what it would be;
        the rest may have been changed by those that did not run."""
        launch = self.launch
        for block in launch.received - self.readonly if not launch.complete else set(launch.stores) | launch.atomic:
            rows, sizes = launch.clean.get(block, []), launch.sizes.get(block, set())
            mine = NOTHING
            if rows and len(sizes) == 1 and not launch.waits:
                mine = Known(np.unique(np.concatenate(rows)), min(sizes))
            if not launch.complete or launch.tainted:
                self.partial[block] = mine
            elif block in self.partial and self.partial[block].size == mine.size:
                self.partial[block] = Known(np.union1d(self.partial[block].places, mine.places), mine.size)

    def note(self, kind: str, block: int, addresses: np.ndarray, mask: np.ndarray | None, size: int) -> None:
        """One access of the program that runs."""
        launch = self.launch
        self.lanes_left -= addresses.size
        if kind != "store" and block in self.partial and not self.partial[block].hold(addresses, mask, size):
            self.tainted = True
            dtype = self.memory.dtypes.get(block)
            launch.odd_taint |= dtype is None or not dtype.is_floating_point
        if kind in ("atomic", "volatile"):
            launch.waits = True
        if kind == "atomic":
            launch.atomic.add(block)
        if kind == "store":
            active = _active(addresses, mask)
            self.mine.setdefault(block, []).append(active)
            launch.sizes.setdefault(block, set()).add(size)
        if self.lanes_left <= -CALL_LANES:
            raise Enough


class _Programs:
    """Stands for the kernel in Triton's loop over the grid, which is told that there is one program."""

    def __init__(self, function: Callable[..., Any], sampler: Sampler) -> None:
        self.function, self.sampler = function, sampler
        self.__signature__ = inspect.signature(function)
        self.__globals__ = function.__globals__
        self.__name__ = function.__name__

    def __call__(self, **arguments: Any) -> None:
        self.sampler.run(self.function, arguments)
