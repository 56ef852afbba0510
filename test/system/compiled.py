"""What Triton's compiler makes for sm_90 of many problems at once: one generator and one compiler, because to begin costs more than a problem. No GPU is needed."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import program

PYTHON = os.environ.get("KERNELAGENT_PYTHON") or program.environment()["KERNELAGENT_PYTHON"]
TOOL = Path(__file__).with_name("launch_resources.py")


def launches(problems: dict[str, str], *flags: str, option: str = "") -> dict[str, list[dict]]:
    """name -> text of a problem; for each what launch_resources.py says of its launches, in their order. `flags` are the generator's; with `option`, only launches that have it."""
    with tempfile.TemporaryDirectory() as out:
        suite = Path(out) / "suite"
        suite.mkdir()
        for name, text in problems.items():
            (suite / f"{name}.py").write_text(text)
        made = program.run("eval", "--suite", suite, "--out", f"{out}/kernels", "--no-verify", *flags)
        assert made.code == 0, made.text()
        done = subprocess.run([PYTHON, str(TOOL), str(suite), f"{out}/kernels", *([option] if option else [])], capture_output=True, text=True, timeout=900,
                              env={**os.environ, "TRITON_CACHE_DIR": f"{out}/cache", "TRITON_INTERPRET": "0"})
        assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, list[dict]] = {name: [] for name in problems}
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            launch = json.loads(line)
            if os.environ.get("KERNELAGENT_SHOW"):
                print(launch, flush=True)
            found[launch["problem"]].append(launch)
    return found
