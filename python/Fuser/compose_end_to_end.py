"""python -m Fuser.compose_end_to_end --problem P.py --subgraphs F.json --kernels-summary S.json [--verify]: our `compose`. Prints its summary as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from Fuser._entries import parse, perform


def main(arguments: Sequence[str] | None = None) -> int:
    flags, given = parse("compose_end_to_end", arguments)
    outcome = perform("compose_end_to_end", flags)
    if outcome.output is not None:
        summary = outcome.output
        composed = Path(given.out_dir or "compose_out").resolve() / "composed_kernel.py"
        theirs = {
            "success": outcome.success,
            "composed_path": str(composed) if composed.is_file() else None,
            "target_platform": given.target_platform or "cuda",
            "verify_passed": summary.get("verified") if given.verify else None,
            "verify_reason": summary.get("message"),
        }
        print(json.dumps({**summary, **theirs}, indent=2))
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main())
