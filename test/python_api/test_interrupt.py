"""Ctrl-C, and an interpreter that is killed: nothing of a job is left."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import program
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


def begun(before: str = "", jobs: int = 1) -> tuple[subprocess.Popen[str], dict[int, str]]:
    """An interpreter whose jobs are at work, and the processes below it."""
    Path("slow.py").write_text(SLOW)
    python = start_python(SCRIPT.format(before=before))
    assert python.stdout is not None and python.stdout.readline() == "begin\n"
    # kernelagent, the warm interpreter, and what it forks for each job.
    assert program.wait_until(lambda: len(program.descendants(python.pid)) >= 3 * jobs, 30), program.descendants(python.pid)
    return python, program.descendants(python.pid)


def test_ctrl_c_raises_and_leaves_nothing() -> None:
    python, below = begun()
    begin = time.monotonic()
    python.send_signal(signal.SIGINT)
    out, err = python.communicate(timeout=10)
    assert out == "interrupted\n", err
    assert time.monotonic() - begin < 2
    assert python.returncode == 0
    assert program.wait_until(lambda: not program.alive(below), 1), program.alive(below)


def test_a_killed_interpreter_leaves_nothing() -> None:
    python, below = begun(IN_A_THREAD, jobs=2)
    assert len(below) >= 6
    python.send_signal(signal.SIGKILL)
    python.communicate(timeout=10)
    assert program.wait_until(lambda: not program.alive(below), 3), program.alive(below)
