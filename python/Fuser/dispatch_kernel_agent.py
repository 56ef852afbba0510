"""python -m Fuser.dispatch_kernel_agent --subgraphs F.json: our `dispatch`. Prints the path of the summary; 1 when a subgraph has no kernel."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from Fuser._entries import parse, perform


def main(arguments: Sequence[str] | None = None) -> int:
    flags, given = parse("dispatch_kernel_agent", arguments)
    outcome = perform("dispatch_kernel_agent", flags)
    if outcome.exit_code in (0, 1):
        print(Path(given.out_dir or "kernels_out").resolve() / "summary.json")
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main())
