"""python -m Fuser.auto_agent --problem P.py [--verify]: our `auto`. Prints one JSON object: route, success, details, kernel_code."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from Fuser._entries import parse, perform
from kernelagent import auto

# Arguments of AutoKernelRouter whose flag has another name. A "!" before a flag: it says the opposite.
_RENAMED = {
    "ka_num_workers": "ka_workers",
    "ka_max_rounds": "ka_rounds",
    "ka_high_reasoning": "!no_ka_high_reasoning",
    "router_high_reasoning": "!no_router_high_reasoning",
    "router_temperature": "router_temp",
    "allow_fallback": "!no_fallback",
    "use_router_cache": "!no_router_cache",
}


@dataclass
class RouteResult:
    """How a problem was solved."""

    route: str | None
    success: bool
    details: dict[str, Any] = field(default_factory=dict)
    kernel_code: str | None = None


class AutoKernelRouter:
    """Chooses between one kernel for the whole program and the pipeline.

    Takes the keys of a router's config file as keyword arguments (ka_model, ka_num_workers, ka_max_rounds, verify, dispatch_jobs, allow_fallback ...), or their
    file as `config`. What is not given is decided by the settings. The judge decides in any case; verify=False changes nothing.
    """

    def __init__(self, config: str | os.PathLike[str] | None = None, **options: Any) -> None:
        self._flags: dict[str, Any] = {"config": config}
        for name, value in options.items():
            if value is None or name in ("verify", "test_code"):
                continue
            flag = _RENAMED.get(name, name)
            self._flags[flag.lstrip("!")] = not value if flag.startswith("!") else value

    def solve(self, problem_path: str | os.PathLike[str], test_code: str | None = None) -> RouteResult:
        """Raises kernelagent.KernelAgentError for a problem that cannot be read."""
        with tempfile.TemporaryDirectory(prefix="kernelagent_") as folder:
            flags = dict(self._flags)
            if test_code is not None:
                flags["test_paths"] = Path(folder) / "test_0.py"
                flags["test_paths"].write_text(test_code, encoding="utf-8")
            return RouteResult(**auto(problem_path, **flags))


def main(arguments: Sequence[str] | None = None) -> int:
    flags, _ = parse("auto_agent", arguments)
    outcome = perform("auto_agent", flags)
    answer = outcome.output or {"route": None, "success": False, "details": {"message": outcome.message}}
    print(json.dumps({key: answer[key] for key in ("route", "success", "details", "kernel_code") if key != "kernel_code" or answer.get(key)}, indent=2))
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main())
