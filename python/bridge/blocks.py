"""The blocks of memory that a kernel may use, by address: given tensors, allocations, the file's constants."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Blocks:
    """Disjoint ranges of addresses with a name each, in order."""

    def forget(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.names: dict[int, str] = {}

    def add(self, start: int, nbytes: int, name: str) -> None:
        """Makes a block known; one that lies inside a known block changes nothing."""
        if nbytes <= 0 or self._inside(start, start + nbytes):
            return
        self._insert(start, nbytes, name)

    def replace(self, start: int, nbytes: int, name: str) -> None:
        """Makes a block known that was allocated just now: what overlaps it was freed since."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, start + nbytes)
        del self.starts[first:last], self.ends[first:last]
        self._insert(start, nbytes, name)

    def _insert(self, start: int, nbytes: int, name: str) -> None:
        at = bisect_right(self.starts, start)
        self.starts.insert(at, start)
        self.ends.insert(at, start + nbytes)
        self.names[start] = name

    def _inside(self, low: int, end: int) -> int:
        """The start of the block that holds [low, end), or 0."""
        at = bisect_right(self.starts, low) - 1
        return self.starts[at] if at >= 0 and end <= self.ends[at] else 0
