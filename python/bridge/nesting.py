"""The programs of one launch, one inside another: the order "nested".

One after the other, the program that draws the first ticket has also stored its data when the next one starts; on a GPU
it need not have. So in this order a program is interrupted after each of its atomic operations, and others run from
their beginning to their end before it goes on. A program that waits for the interrupted one never ends: it is
stopped as in any order that is impossible (memory_watch.Waits).
"""

from __future__ import annotations

import inspect
from typing import Any, Callable


class Turns:
    """Stands for the kernel in Triton's loop over the grid, which calls it once per program."""

    def __init__(self, function: Callable[..., Any], watch: Any) -> None:
        self.function, self.watch = function, watch
        self.__signature__ = inspect.signature(function)
        self.__globals__ = function.__globals__
        self.__name__ = function.__name__
        self.done: set[int] = set()
        self.arguments: dict[str, Any] = {}
        self.inside = False

    def __call__(self, **arguments: Any) -> None:
        if self.watch.number not in self.done:
            self.arguments = arguments
            self.done.add(self.watch.number)
            self.function(**arguments)

    def interrupt(self, builder: Any) -> None:
        """After an atomic operation: the neighbours along each axis and the last program run now, unless they have run."""
        watch = self.watch
        if self.inside or watch.ledger is None:
            return
        _, ny, nz = watch.grid
        here = watch.number
        others = dict.fromkeys((here + 1, here + nz, here + ny * nz, watch.programs - 1))
        outer = here, watch.accesses, builder.grid_idx
        self.inside = True
        try:
            for number in others:
                if number < watch.programs and number not in self.done:
                    self.done.add(number)
                    watch.ledger.interrupted.add(here)
                    watch.number, watch.accesses = number, 0
                    builder.grid_idx = (number // (ny * nz), number // nz % ny, number % nz)
                    self.function(**self.arguments)
        finally:
            self.inside = False
            watch.number, watch.accesses, builder.grid_idx = outer
