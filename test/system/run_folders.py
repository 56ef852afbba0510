"""Run directories for tests: of a real run, of a pipeline as its formats say, and damaged ones."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import program

HOSTILE = "<script>document.title='broken into'</script><img src=x onerror=\"document.title='broken into'\">"


def real_run(root: Path, problem: str, *flags: str, name: str = "run_real") -> Path:
    """`generate` of a problem of the repository, in a folder of its own."""
    out = root / ".fuse" / name
    done = program.run("generate", "--problem", problem, "--out", out, *flags)
    assert done.code in (0, 1), done.text()
    return out


def copy_of(run: Path, name: str) -> Path:
    """The same run under another name in the same place."""
    out = run.parent / name
    shutil.copytree(run, out, symlinks=True)
    info = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps({**info, "id": name}))
    return out


def change_json(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def journal_line(seq: int, step: str, key: str, artifacts: list[Path], folder: Path) -> str:
    refs = [{"path": str(path.relative_to(folder)), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()} for path in artifacts]
    body = json.dumps({"artifacts": refs, "key": key, "seq": seq, "step": step}, separators=(",", ":"))[:-1]
    return f'{body},"sum":"{hashlib.sha256(body.encode()).hexdigest()[:16]}"}}\n'
