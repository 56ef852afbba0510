"""The C interface through ctypes: requests, threads, cancelling, and nothing that is left over."""

from __future__ import annotations

import os
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import program
import pytest
from conftest import PROBLEM, ROOT, SLOW

import kernelagent
from kernelagent import Job, KernelAgentError

BELOW_ME = os.getpid()


def resources() -> tuple[int, int, int]:
    """Open descriptors, threads, processes below this one."""
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")), len(program.descendants(BELOW_ME))


def test_version_is_that_of_the_build() -> None:
    wanted = re.search(r"VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text().partition("project(")[2])
    assert wanted and kernelagent.version() == kernelagent.__version__ == wanted.group(1)
    assert kernelagent.abi() == 1
    assert kernelagent.program().is_file()


@pytest.mark.parametrize(
    ("command", "flags", "words", "says"),
    [
        ("", {}, (), "is not the name of a command"),
        ("__launch", {}, (), "is not the name of a command"),
        ("auto", {"problem": ["a"]}, (), "is a list"),
        ("auto", {"not a flag": 1}, (), "not the name of a flag"),
        ("auto", {}, ("--json",), "begins like a flag"),
    ],
)
def test_bad_requests_start_nothing(command: str, flags: dict, words: tuple, says: str) -> None:
    with pytest.raises(KernelAgentError, match=re.escape(says)) as raised:
        Job(command, flags, words)
    assert raised.value.exit_code == 2


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(KernelAgentError, match="does not exist"):
        Job("runs", folder=tmp_path / "none")


def test_a_program_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELAGENT_PROGRAM", "/nonexistent/kernelagent")
    with pytest.raises(KernelAgentError, match="KERNELAGENT_PROGRAM"):
        Job("runs")


def test_exit_code_message_and_output() -> None:
    good = kernelagent.run("runs", json=True)
    assert (good.exit_code, good.message, good.success) == (0, "", True)
    bad = kernelagent.run("auto", problem="none.py")
    assert (bad.exit_code, bad.message, bad.output) == (2, "auto: none.py does not exist", None)
    text = kernelagent.run("runs", "show", "none")
    assert text.exit_code == 2 and text.message.startswith("runs: ")


def test_environment_and_folder(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / ".env").write_text("not a variable\n")
    outcome = kernelagent.run("runs", folder=tmp_path / "below")
    assert ".env: line 1 is not NAME=VALUE" in outcome.message
    outcome = kernelagent.run("runs", environment={"LOG_LEVEL": "loud"})
    assert "LOG_LEVEL in the environment" in outcome.message


def test_several_threads_and_nothing_left() -> None:
    kernelagent.run("runs")
    before = resources()
    with ThreadPoolExecutor(max_workers=8) as pool:
        codes = list(pool.map(lambda number: kernelagent.run("runs", *(() if number % 2 else ("show", "none"))).exit_code, range(40)))
    assert codes == [2, 0] * 20
    # The kernel takes a moment to forget a thread that was joined.
    assert program.wait_until(lambda: resources() == before, 2), (resources(), before)


def test_cancel_from_another_thread_ends_everything(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    before = resources()
    job = Job("verify", {"problem": "slow.py", "kernel": PROBLEM, "json": True})
    assert not job.wait(0.0)
    assert program.wait_until(lambda: len(program.descendants(BELOW_ME)) >= 3, 20), "the program did not get to its children"
    begin = time.monotonic()
    threading.Timer(0.1, job.cancel).start()
    assert job.wait(5)
    assert time.monotonic() - begin < 2.1
    result = job.result()
    assert result and result["cancelled"] and result["exit_code"] == 130
    job.close()
    assert job.result() == result
    assert program.wait_until(lambda: resources() == before, 2), (resources(), before)


def test_a_job_that_is_dropped_is_ended(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    before = resources()
    job = Job("verify", {"problem": "slow.py", "kernel": PROBLEM})
    assert resources() > before
    del job
    assert program.wait_until(lambda: resources() == before, 3)


def test_a_forked_process_has_no_jobs() -> None:
    job = Job("runs")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            Job("runs")
            os.write(writer, b"started")
        except KernelAgentError as error:
            os.write(writer, str(error).encode())
        job.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert b"forked" in os.read(reader, 4096)
    os.close(reader), os.close(writer)
    assert job.wait(10) and job.result() is not None
    job.close()


def test_events_arrive_while_it_runs() -> None:
    seen: list[dict] = []
    verdict = kernelagent.verify(PROBLEM, ROOT / "test" / "honest" / "relu_plain.py", no_compile=True, on_event=seen.append)
    assert verdict["accepted"]
    assert {"verify"} <= {event["stage"] for event in seen}
    assert seen[-1]["event"] == "accepted"


def test_a_wrong_kernel_is_a_verdict_and_no_error(tmp_path: Path) -> None:
    wrong = (ROOT / "test" / "honest" / "relu_plain.py").read_text().replace("maximum(x, 0", "maximum(x, 1")
    (tmp_path / "wrong.py").write_text(wrong + "\n\ndef kernel_function(x):\n    return x\n")
    verdict = kernelagent.verify(PROBLEM, "wrong.py", no_compile=True)
    assert not verdict["accepted"] and verdict["rule"]
    with pytest.raises(KernelAgentError, match="does not exist"):
        kernelagent.verify("none.py", "wrong.py")
