"""python -m Fuser.cli run --problem P.py: our `extract`, whose first step writes and checks the program as modules. Prints the run's folder."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from Fuser._entries import parse, perform
from Fuser.paths import new_folder

# Our exit codes -> those of this command: 1 something else, 4 no solution, 5 cancelled.
_EXIT_CODES = {0: 0, 1: 4, 2: 2, 130: 5}


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] != ["run"]:
        asked = words[:1] in (["-h"], ["--help"])
        print("usage: python -m Fuser.cli run --problem P.py [flags]", file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    flags, _ = parse("cli", words[1:])
    folder = new_folder(kind="extract")
    outcome = perform("cli", {**flags, "out": str(folder)})
    if outcome.success:
        print(folder)
    return _EXIT_CODES.get(outcome.exit_code, 1)


if __name__ == "__main__":
    sys.exit(main())
