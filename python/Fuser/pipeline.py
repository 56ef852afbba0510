"""python -m Fuser.pipeline --problem P.py [--verify]: our `pipeline`. Prints one JSON object: run_dir, subgraphs, kernels_summary, composition."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import kernelagent
from Fuser._entries import parse, perform
from Fuser.paths import new_folder

_KEYS = ("run_dir", "subgraphs", "kernels_summary", "composition")


def run_pipeline(
    problem_path: str | os.PathLike[str],
    extract_model: str | None = None,
    dispatch_model: str | None = None,
    compose_model: str | None = None,
    dispatch_jobs: int | str | None = None,
    workers: int | None = None,
    max_iters: int | None = None,
    llm_timeout_s: float | None = None,
    run_timeout_s: float | None = None,
    out_root: str | os.PathLike[str] | None = None,
    verify: bool = True,
    compose_max_iters: int | None = None,
    target_platform: str | None = None,
    test_timeout_s: float | None = None,
) -> dict[str, Any]:
    """Returns run_dir, subgraphs, kernels_summary, composition, success, kernel_code and message. The judge decides in any case; verify=False changes nothing.

    Raises kernelagent.KernelAgentError for a problem that cannot be read.
    """
    del verify
    return kernelagent.pipeline(
        problem_path,
        extract_model=extract_model,
        dispatch_model=dispatch_model,
        compose_model=compose_model,
        dispatch_jobs=dispatch_jobs,
        workers=workers,
        max_iters=max_iters,
        llm_timeout_s=llm_timeout_s,
        run_timeout_s=run_timeout_s,
        out=None if out_root is None else new_folder(out_root),
        compose_max_iters=compose_max_iters,
        target_platform=getattr(target_platform, "name", target_platform),
        test_timeout_s=test_timeout_s,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    flags, given = parse("pipeline", arguments)
    if given.out_root:
        flags["out"] = str(new_folder(given.out_root))
    outcome = perform("pipeline", flags)
    details = (outcome.output or {}).get("details", {})
    print(json.dumps({key: details.get(key) for key in _KEYS}, indent=2))
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main())
