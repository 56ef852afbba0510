"""A table of a benchmark on disk, which has every row as soon as it is known: a script that is cut leaves its rows, and goes on behind them when it is called again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class Table:
    """Rows with tabs between their cells. Rows belong together that begin with the same `key` cells."""

    def __init__(self, path: Path | None, columns: Sequence[str], key: int = 1, head: str = "", row_by_row: bool = False) -> None:
        """`row_by_row`: the rows of a group are not added at once, so the last group of a file may lack some and is left out."""
        self.path, self.key = path, key
        self.head = [*([head] if head else []), "\t".join(columns)]
        self.rows: list[tuple[str, ...]] = []
        lines = path.read_text().splitlines() if path and path.exists() else []
        if lines[: len(self.head)] == self.head:
            self.rows = [cells for line in lines[len(self.head) :] if len(cells := tuple(line.split("\t"))) == len(columns)]
        if row_by_row and self.rows:
            last = self.rows[-1][:key]
            self.rows = [row for row in self.rows if row[:key] != last]
        self._write("w", self.head + ["\t".join(row) for row in self.rows])
        print("\n".join(self.head), flush=True)

    def has(self, *key: str) -> bool:
        return any(row[: len(key)] == tuple(map(str, key)) for row in self.rows)

    def add(self, *rows: Sequence[object]) -> None:
        for row in rows:
            self.rows.append(tuple(" ".join(str(cell).split()) for cell in row))
            line = "\t".join(self.rows[-1])
            print(line, flush=True)
            self._write("a", [line])

    def _write(self, mode: str, lines: list[str]) -> None:
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open(mode) as file:
                file.write("".join(line + "\n" for line in lines))
