"""TritonKernelAgent: one problem, in a folder of its own, to one verified kernel."""

from __future__ import annotations

import ast
import itertools
import json
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from kernelagent._native import FlagValue, Job, KernelAgentError
from kernelagent.commands import OnEvent, Outcome, finish

DEFAULT_LOG_DIR = Path(".fuse") / "sessions"
_COUNT = itertools.count()


def _is_program(text: str) -> bool:
    """Is it Python that defines something, rather than a sentence?"""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(statement, (ast.ClassDef, ast.FunctionDef)) for statement in body)


def _named_file(text: str) -> str | None:
    """`text` when it names a file, perhaps with an object in it (file.py:NAME)."""
    if "\n" in text or "\0" in text or len(text) > 4096:
        return None
    path = text.rpartition(":")[0] if ".py:" in text else text
    # A name with a blank in it may be a sentence that speaks of a file.
    return text if Path(path).is_file() or (path.endswith(".py") and not any(c.isspace() for c in path)) else None


class TritonKernelAgent:
    """Writes Triton kernels and has them judged.

    num_workers, max_rounds, model_name, high_reasoning_effort, preferred_provider, no_cusolver: of the language model; what is None is decided by the
    settings (docs/settings.md). Without a model the built-in generator works alone.
    log_dir: where each call gets a folder of its own (default .fuse/sessions).
    target_platform: "cuda" or "xpu".
    test_timeout_s: limit for each step of a program or a test.
    flags: further flags of `kernelagent generate`, with underscores (`device="cpu"`, `precision="fp32"`, `config="settings.yml"`).

    May be used from several threads. As a context manager, it ends what still runs when the block is left.
    """

    def __init__(
        self,
        num_workers: int | None = None,
        max_rounds: int | None = None,
        log_dir: str | os.PathLike[str] | None = None,
        model_name: str | None = None,
        high_reasoning_effort: bool = True,
        preferred_provider: str | None = None,
        target_platform: str = "cuda",
        no_cusolver: bool = False,
        test_timeout_s: float = 30,
        on_event: OnEvent | None = None,
        **flags: FlagValue,
    ) -> None:
        self.log_dir = Path(log_dir) if log_dir is not None else DEFAULT_LOG_DIR
        self._on_event = on_event
        self._flags: dict[str, FlagValue] = {
            "workers": num_workers,
            "rounds": max_rounds,
            "model": model_name,
            "no_high_reasoning": not high_reasoning_effort,
            "provider": preferred_provider,
            "target_platform": getattr(target_platform, "name", target_platform),
            "no_cusolver": no_cusolver,
            "test_timeout_s": test_timeout_s,
            **flags,
        }
        self._lock = threading.Lock()
        self._jobs: set[Job] = set()

    def generate_kernel(
        self, problem_description: str | os.PathLike[str], test_code: str | Sequence[str] | None = None, generate_default_test: bool = True
    ) -> dict[str, Any]:
        """Writes and verifies a kernel.

        problem_description: the path of a PyTorch program, its text, or a sentence.
        test_code: a test script that the kernel must pass besides the judge: exit code 0, and a line that begins with PASS.
        generate_default_test: the judge decides in any case; False is accepted and changes nothing.

        Returns a dict with `success`, `message`, `session_dir`, `kernel_code`, `kernel_path`, `worker_id`, `rounds`. A kernel that
        was refused is in the session folder (run/kernel.py), not in the dict. Nothing but Ctrl-C is raised for what goes wrong on the way.
        """
        del generate_default_test
        session = self._new_session()
        try:
            flags, words = self._request(session, problem_description, test_code)
            outcome = self._run(flags, words)
        except KernelAgentError as error:
            return self._kept(session, {"success": False, "message": str(error)})
        return self._kept(session, self._answer(session, outcome))

    def cleanup(self) -> None:
        """Ends what still runs (in other threads: their calls return with `success` False). The session folders stay."""
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            job.cancel()

    def __enter__(self) -> TritonKernelAgent:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.cleanup()

    def _new_session(self) -> Path:
        moment = time.time()
        stamp = time.strftime("%Y%m%d_%H%M%S", time.localtime(moment))
        session = self.log_dir / f"session_{stamp}_{int(moment % 1 * 1e6):06d}_{os.getpid()}_{next(_COUNT)}"
        session.mkdir(parents=True)
        return session.resolve()

    def _request(
        self, session: Path, problem: str | os.PathLike[str], test_code: str | Sequence[str] | None
    ) -> tuple[dict[str, FlagValue], list[str]]:
        flags: dict[str, FlagValue] = {**self._flags, "out": session / "run", "json": True}
        tests = [test_code] if isinstance(test_code, str) else list(test_code or ())
        if len(tests) > 1:
            raise KernelAgentError("test_code: one test script is expected; put several into one file", 2)
        if tests:
            (session / "test_0.py").write_text(tests[0], encoding="utf-8")
            flags["test_paths"] = session / "test_0.py"
        text = os.fspath(problem)
        (session / "problem.txt").write_text(text, encoding="utf-8")
        named = text if isinstance(problem, os.PathLike) else _named_file(text)
        if named is None and not _is_program(text):
            return flags, [text.strip()]
        if named is None:
            (session / "problem.py").write_text(text, encoding="utf-8")
        flags["problem"] = named if named is not None else session / "problem.py"
        return flags, []

    def _run(self, flags: dict[str, FlagValue], words: list[str]) -> Outcome:
        job = Job("generate", flags, words)
        with self._lock:
            self._jobs.add(job)
        try:
            return finish(job, "generate", self._on_event)
        finally:
            with self._lock:
                self._jobs.discard(job)

    @staticmethod
    def _answer(session: Path, outcome: Outcome) -> dict[str, Any]:
        output = outcome.output or {}
        verdict = output.get("verdict") or {}
        otherwise = "the kernel file was written and not verified" if outcome.success else f"ended with {outcome.exit_code}"
        message = "cancelled" if outcome.cancelled else outcome.message or output.get("message") or verdict.get("reason") or otherwise
        if not outcome.success and verdict.get("rule"):
            message = f"{verdict['rule']}: {verdict['reason']}"
        kernel = Path(output["kernel"]) if output.get("kernel") else session / "run" / "kernel.py"
        answer: dict[str, Any] = {"success": outcome.success and kernel.is_file(), "message": message}
        if answer["success"]:
            code = kernel.read_text(encoding="utf-8")
            (session / "final_kernel.py").write_text(code, encoding="utf-8")
            answer |= {"kernel_code": code, "kernel_path": str(session / "final_kernel.py")}
        return answer | {"worker_id": output.get("worker_id"), "rounds": output.get("rounds", 0)}

    @staticmethod
    def _kept(session: Path, answer: dict[str, Any]) -> dict[str, Any]:
        nothing = {"kernel_code": None, "kernel_path": None, "worker_id": None, "rounds": None}
        full = {**nothing, **answer, "session_dir": str(session)}
        (session / "result.json").write_text(json.dumps(full, indent=2) + "\n", encoding="utf-8")
        return full
