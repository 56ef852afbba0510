"""python -m Fuser.subgraph_extractor --problem P.py: our `extract`, in a new folder below .fuse. Prints the path of subgraphs.json."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from Fuser._entries import parse, perform
from Fuser.paths import new_folder


def main(arguments: Sequence[str] | None = None) -> int:
    flags, _ = parse("subgraph_extractor", arguments)
    folder = new_folder(kind="extract")
    outcome = perform("subgraph_extractor", {**flags, "out": str(folder)})
    if outcome.success:
        print(folder / "subgraphs.json")
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main())
