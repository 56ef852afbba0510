"""The commands of the program as functions. Each takes the command's flags as keyword arguments, with underscores (`max_minutes=5`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kernelagent._native import FlagValue, Job, KernelAgentError

OnEvent = Callable[[dict[str, Any]], None]
_LOOK_EVERY_S = 0.2


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    command: str
    exit_code: int  # as on the command line: 0 done, 1 not achieved
    message: str  # its last complaint; empty when there was none
    output: dict[str, Any] | None  # what it prints with --json; None where that is no object
    text: str  # what it printed where that is no JSON
    seconds: float
    cancelled: bool = False  # Job.cancel() ended it

    @property
    def success(self) -> bool:
        return self.exit_code == 0


def finish(job: Job, command: str, on_event: OnEvent | None = None) -> Outcome:
    """Waits for a job. Whatever interrupts this, the job has ended when it returns."""
    try:
        while on_event is not None:
            ended = job.wait(_LOOK_EVERY_S)
            for event in job.events():
                on_event(event)
            if ended:
                break
        job.wait()
        result = job.result()
    finally:
        job.close()
    if result is None:
        raise KernelAgentError(f"{command}: the job was forgotten while it ran", 130)
    output = result["output"] if isinstance(result["output"], dict) else None
    return Outcome(command, result["exit_code"], result["message"], output, result["text"], result["seconds"], result["cancelled"])


def run(
    command: str,
    *words: str,
    folder: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str | None] | None = None,
    on_event: OnEvent | None = None,
    **flags: FlagValue,
) -> Outcome:
    """Runs any command of the program and waits for its end.

    `folder` is where it runs (default: the current one), `environment` is added to that of this process. `on_event` is called with each event while it
    runs, from this thread. Ctrl-C ends the command and is raised as KeyboardInterrupt.
    """
    return finish(Job(command, flags, words, folder, environment), command, on_event)


def run_json(command: str, flags: Mapping[str, FlagValue], words: tuple[str, ...] = (), on_event: OnEvent | None = None) -> Outcome:
    """A command with --json."""
    return finish(Job(command, {**flags, "json": True}, words), command, on_event)


def checked(outcome: Outcome) -> Outcome:
    """The outcome, where it says something about a kernel; else KernelAgentError."""
    if outcome.exit_code not in (0, 1) or outcome.cancelled:
        message = outcome.message or (f"{outcome.command}: cancelled" if outcome.cancelled else f"{outcome.command}: ended with {outcome.exit_code}")
        raise KernelAgentError(message, outcome.exit_code)
    return outcome


def verify(
    problem: str | os.PathLike[str],
    kernel: str | os.PathLike[str],
    *,
    test: str | os.PathLike[str] | None = None,
    on_event: OnEvent | None = None,
    **flags: FlagValue,
) -> dict[str, Any]:
    """Decides whether a kernel file computes what a PyTorch program computes.

    Returns the verdict (docs/judge.md): `accepted`, and for a kernel that is refused `rule`, `reason` and the worst element. Raises KernelAgentError where
    nothing can be decided: a file that does not exist, a machine without an interpreter.
    """
    outcome = checked(run_json("verify", {"problem": problem, "kernel": kernel, "test": test, **flags}, on_event=on_event))
    if outcome.output is None:
        raise KernelAgentError(outcome.message or "verify: there is no verdict", outcome.exit_code)
    return outcome.output


def _routed(command: str, problem: str | os.PathLike[str], on_event: OnEvent | None, flags: Mapping[str, FlagValue]) -> dict[str, Any]:
    outcome = checked(run_json(command, {"problem": problem, **flags}, on_event=on_event))
    if outcome.output is not None:
        return outcome.output
    return {"route": None, "success": False, "details": {"message": outcome.message}, "kernel_code": None}


def auto(problem: str | os.PathLike[str], *, on_event: OnEvent | None = None, **flags: FlagValue) -> dict[str, Any]:
    """From a PyTorch program to a verified Triton program, by the route that fits it.

    Returns `route` ("kernelagent" or "fuser"), `success`, `kernel_code`, and `details` with `run_dir`, `kernel_path`, `message`, `verdict` and more.
    """
    return _routed("auto", problem, on_event, flags)


def pipeline(problem: str | os.PathLike[str], *, on_event: OnEvent | None = None, **flags: FlagValue) -> dict[str, Any]:
    """Extract, dispatch and compose in one run.

    Returns `run_dir`, `subgraphs`, `kernels_summary` (paths), `composition`, `success`, `kernel_code` and `message`; what a run did not reach is None.
    """
    answer = _routed("pipeline", problem, on_event, flags)
    details = answer["details"]
    keys = ("run_dir", "subgraphs", "kernels_summary", "composition", "message")
    return {**{key: details.get(key) for key in keys}, "success": answer["success"], "kernel_code": answer["kernel_code"]}


def generate(
    problem: str | os.PathLike[str] | None = None, *words: str, on_event: OnEvent | None = None, **flags: FlagValue
) -> Outcome:
    """Writes Triton kernels for one problem: a file, or a sentence in `words`. Returns the outcome as it is, errors included."""
    return run_json("generate", {"problem": problem, **flags}, words, on_event)
