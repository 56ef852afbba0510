"""Ctrl-C, and an interpreter that is killed: nothing of a job is left."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import program
import pytest
from conftest import SLOW, start_python

# Says when it begins, and what ended it. The child of the program that loads the slow file is what must not stay.
SCRIPT = """
import kernelagent, threading
{before}
print("begin", flush=True)
try:
    kernelagent.TritonKernelAgent().generate_kernel("slow.py")
    print("ended", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
IN_A_THREAD = """
thread = threading.Thread(target=kernelagent.auto, args=("slow.py",), daemon=True)
thread.start()
"""
# The program tries what the sandbox can do in short-lived processes; what stays this long is at work.
SETTLED_S = 0.5

Begun = tuple["subprocess.Popen[str]", dict[int, str]]


@pytest.fixture
def begin() -> Iterator[Callable[[str, int], Begun]]:
    """Starts an interpreter; returns it and the processes below it once so many jobs are at work."""
    started: dict[int, str] = {}

    def start(before: str, jobs: int) -> Begun:
        Path("slow.py").write_text(SLOW)
        python = start_python(SCRIPT.format(before=before))
        started.update({pid: born for pid, born in program.descendants(os.getpid()).items() if pid == python.pid})
        assert python.stdout is not None and python.stdout.readline() == "begin\n"
        seen: dict[str, object] = {"below": {}, "since": time.monotonic()}

        def is_settled() -> bool:
            below = program.descendants(python.pid)
            started.update(below)
            if below != seen["below"]:
                seen.update(below=below, since=time.monotonic())
            # The program, the warm interpreter, and what that forks.
            return len(below) >= 3 * jobs and time.monotonic() - float(str(seen["since"])) > SETTLED_S

        assert program.wait_until(is_settled, 40), program.descendants(python.pid)
        return python, program.descendants(python.pid)

    yield start
    for pid in program.alive(started):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_ctrl_c_raises_and_leaves_nothing(begin: Callable[[str, int], Begun]) -> None:
    python, below = begin("", 1)
    moment = time.monotonic()
    python.send_signal(signal.SIGINT)
    out, err = python.communicate(timeout=10)
    assert out == "interrupted\n", err
    assert time.monotonic() - moment < 2
    assert python.returncode == 0
    assert program.wait_until(lambda: not program.alive(below), 1), program.alive(below)


def test_a_killed_interpreter_leaves_nothing(begin: Callable[[str, int], Begun]) -> None:
    python, below = begin(IN_A_THREAD, 2)
    python.send_signal(signal.SIGKILL)
    python.communicate(timeout=10)
    assert program.wait_until(lambda: not program.alive(below), 3), program.alive(below)
