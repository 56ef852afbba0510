"""Runs the program under test as a user would, and says what it did.

KERNELAGENT_PROGRAM names another binary, KERNELAGENT_PRESET another build folder.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PRESET = os.environ.get("KERNELAGENT_PRESET", "release")
PROGRAM = os.environ.get("KERNELAGENT_PROGRAM") or str(ROOT / "build" / PRESET / "src" / "app" / "kernelagent")
LIMIT_S = 240

# A kernel that is right for `torch.relu(x)` of any size; where the problem is what is tested, any kernel will do.
RELU_KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
"""


@dataclass
class Finished:
    """How a command ended."""

    code: int
    out: str
    err: str
    seconds: float

    def json(self) -> dict[str, Any]:
        return json.loads(self.out)

    def text(self) -> str:
        return f"exit {self.code}\nstdout: {self.out[-1500:]}\nstderr: {self.err[-1500:]}"


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Ours, with the interpreter that runs this test unless another one is named."""
    return {"KERNELAGENT_PYTHON": sys.executable, **os.environ, **(extra or {})}


def run(*arguments: str | Path, env: Mapping[str, str] | None = None, cwd: Path = ROOT) -> Finished:
    begin = time.monotonic()
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, env=environment(env), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=LIMIT_S)
    return Finished(done.returncode, done.stdout, done.stderr, time.monotonic() - begin)


def start(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.Popen[str]:
    return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=cwd, env=environment(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


def run_all(commands: Mapping[str, Callable[[], Finished]]) -> dict[str, Finished]:
    """All commands, as many at a time as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        started = {name: pool.submit(command) for name, command in commands.items()}
        return {name: future.result() for name, future in started.items()}


class Folder:
    """A temporary folder for problem and kernel files."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kernelagent_test_")
        self.path = Path(self._folder.name)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.path / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def remove(self) -> None:
        self._folder.cleanup()


def descendants(pid: int) -> dict[int, str]:
    """Every process below `pid`: its id and the time at which it started (so that a reused id is not taken for it)."""
    parents: dict[int, list[int]] = {}
    starts: dict[int, str] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        found = _stat(int(entry))
        if found:
            parents.setdefault(found[0], []).append(int(entry))
            starts[int(entry)] = found[1]
    below: dict[int, str] = {}
    todo = [pid]
    while todo:
        for child in parents.get(todo.pop(), []):
            below[child] = starts[child]
            todo.append(child)
    return below


def alive(processes: Mapping[int, str]) -> list[int]:
    """Those of them that still run (a zombie waiting for its parent does not)."""
    return [pid for pid, begin in processes.items() if (now := _stat(pid)) and now[1] == begin and now[2] not in "ZX"]


def wait_until(condition: Callable[[], bool], limit: float) -> bool:
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def finish(process: subprocess.Popen[str], signal_number: int, limit: float) -> Finished:
    """Sends the signal and waits; raises when the program does not end within `limit` seconds."""
    begin = time.monotonic()
    process.send_signal(signal_number)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        raise
    return Finished(process.returncode, out, err, time.monotonic() - begin)


def _stat(pid: int) -> tuple[int, str, str] | None:
    """Parent, start time and state of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, IndexError):
        return None
    return int(fields[1]), fields[19], fields[0]


def cpu_seconds(pid: int) -> float:
    """What the process itself has used so far; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def contents(folder: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    """The files of these names, and all below folders of these names."""
    files = [path for name in names for path in [folder / name, *(folder / name).rglob("*")] if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
