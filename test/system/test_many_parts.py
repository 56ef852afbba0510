"""Hundreds of parts of a program at the same time against the fake model: no answer is lost or mixed up, and nothing is left behind.

Every part adds a number of its own, and the fake answers each question with the kernel for the number that stands in it. So the judge, which runs for all of them, refuses an
answer that reached the wrong part. The answer to the last part is held back until all others are finished: what the program holds then, with one
part left, is what it has not given back.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any

import program
from fake_model import FakeModel, clean_environment, need_client

PARTS = 200
JUDGED = 100  # of them, where kernels are written: the judge takes most of the time
EACH_WRONG = 10  # every so many parts get the kernel of another part first
WORKERS = 4  # of each part, where nothing is judged
USUAL_DESCRIPTORS = 1024  # that a shell allows; 800 conversations need more
PROBLEM = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, 0) + 1.5


def get_inputs():
    return [torch.randn(8, 16)]


def get_init_inputs():
    return []
"""
# With one part left: its conversation, the warm interpreter, what the program itself has, and at most 64 connections to the model's server that wait for the next question.
MOST_DESCRIPTORS, MOST_THREADS, MOST_PROCESSES = 32 + 64 * 3, 8, 3
LOOK_EVERY_S = 0.25
MOST_CPU_MS = 5.0  # of the program, for each question


def number_of(part: int) -> float:
    return part + 0.25


def kernel_for(part: int) -> str:
    return program.RELU_KERNEL.strip().replace("tl.where(x < 0, 0.0, x)", f"x + {number_of(part)!r}")


def fenced(code: str) -> str:
    return f"```python\n{code}\n```\n"


def usual_limits() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (USUAL_DESCRIPTORS, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def setUpModule() -> None:
    need_client()


class Running:
    """A dispatch whose last part is not answered before release()."""

    def __init__(self, folder: Path, fake: FakeModel, *words: str) -> None:
        self.out = folder / "kernels_out"
        given = ["dispatch", "--subgraphs", str(folder / "many.json"), "--out-dir", str(self.out), "--device", "cpu", "--model", "gpt-5.2", "--producers", "model",
                 "--dispatch-jobs", str(PARTS), *words]
        self.process = subprocess.Popen([program.PROGRAM, *given], cwd=folder, env=program.environment(clean_environment(fake.environment())), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=usual_limits)
        self.seen: dict[int, str] = {}

    def finished(self) -> int:
        self.seen.update(program.descendants(self.process.pid))
        return len(list(self.out.glob("*/result.json")))

    def held(self) -> tuple[int, int, int]:
        """Descriptors, threads and processes of the program now."""
        own = Path(f"/proc/{self.process.pid}")
        return len(os.listdir(own / "fd")), len(os.listdir(own / "task")), len(program.alive(program.descendants(self.process.pid)))


class ManyParts(unittest.TestCase):
    parts: list[dict[str, Any]]

    @classmethod
    def setUpClass(cls) -> None:
        folder = program.Folder()
        cls.addClassCleanup(folder.remove)
        made = program.run("extract", "--problem", folder.write("p.py", PROBLEM), "--out", folder.path, cwd=folder.path)
        assert made.code == 0, made.text()
        add = next(part for part in json.loads((folder.path / "subgraphs.json").read_text()) if part["id"] == "add")
        cls.parts = [cls.part(add, number) for number in range(PARTS)]

    def setUp(self) -> None:
        folder = program.Folder()
        self.addCleanup(folder.remove)
        self.folder = folder.path
        self.release = self.folder / "release"

    @staticmethod
    def part(like: dict[str, Any], number: int) -> dict[str, Any]:
        out = json.loads(json.dumps(like).replace("1.5", repr(number_of(number))))
        out.update(id=f"add_{number}", signature=f"{number:064x}")
        out["calls"][0]["order"] = number
        return out

    def run_held(self, parts: int, rules: list[dict[str, Any]], *words: str) -> tuple[int, list[dict[str, Any]], list[dict[str, Any]], Running, float]:
        """Exit code, summary, requests, the run, and the processor time of the program for each question."""
        (self.folder / "many.json").write_text(json.dumps(self.parts[:parts]))
        with FakeModel(rules) as fake:
            running = Running(self.folder, fake, *words)
            end = time.monotonic() + program.LIMIT_S
            while running.finished() < parts - 1 and running.process.poll() is None and time.monotonic() < end:
                time.sleep(LOOK_EVERY_S)
            held, cpu = running.held() if running.process.poll() is None else (0, 0, 0), program.cpu_seconds(running.process.pid)
            self.release.touch()
            _, err = running.process.communicate(timeout=program.LIMIT_S)
            requests = fake.requests()
        self.assertEqual((running.finished(), err), (parts, ""))
        for found, most in zip(held, (MOST_DESCRIPTORS, MOST_THREADS, MOST_PROCESSES)):
            self.assertLessEqual(found, most, f"descriptors, threads and processes with one part left: {held}")
        self.assertTrue(program.wait_until(lambda: not program.alive(running.seen), 10), "processes are left")
        return running.process.returncode, json.loads((running.out / "summary.json").read_text()), requests, running, 1000 * cpu / len(requests)

    def recorded(self, running: Running) -> dict[str, dict[str, Any]]:
        return {str(path.relative_to(running.out / "conversations/dispatch")): json.loads(path.read_text()) for path in running.out.glob("conversations/dispatch/*/*/*.json")}

    def rules(self) -> list[dict[str, Any]]:
        """One for each part, and before that the answer of another for some; the last one waits."""
        out: list[dict[str, Any]] = []
        for part in range(JUDGED):
            rule: dict[str, Any] = {"match": f"other={number_of(part)!r})", "answer": fenced(kernel_for(part))}
            if part % EACH_WRONG == 0:
                out.append({**rule, "answer": fenced(kernel_for(part + 1)), "times": 1})
            out.append({**rule, "until": str(self.release)} if part == JUDGED - 1 else rule)
        return out

    def test_every_part_gets_its_own_answer(self) -> None:
        code, summary, requests, running, _ = self.run_held(JUDGED, self.rules(), "--workers", "1")
        self.assertEqual((code, len(summary)), (0, JUDGED), [part["message"] for part in summary if not part["success"]])
        told = self.recorded(running)
        self.assertEqual(len(told), len(requests))
        self.assertEqual(len(requests), JUDGED + JUDGED // EACH_WRONG)
        for number, part in enumerate(summary):
            with self.subTest(part["id"]):
                rounds = 2 if number % EACH_WRONG == 0 else 1
                self.assertEqual((part["id"], part["success"], part["producer"], part["rounds"]), (f"add_{number}", True, "model", rounds), part["message"])
                self.assertEqual((running.out / part["id"] / "kernel.py").read_text().strip(), kernel_for(number))
                self.assertTrue(json.loads((running.out / part["id"] / "verdict.json").read_text())["accepted"])
                last = told[f"{part['id']}/worker_1/{rounds}.json"]
                self.assertIn(f"other={number_of(number)!r})", last["asked"]["messages"][-1]["text"])
                self.assertIn(f"x + {number_of(number)!r}", last["reply"]["answers"][0]["text"])
                if rounds == 2:
                    refused = json.loads((running.out / part["id"] / "workers/worker_1/round_1.json").read_text())
                    self.assertEqual(refused["rule"], "result.mismatch")

    def test_what_a_question_costs_beside_the_judge(self) -> None:
        rules = [{"match": f"other={number_of(PARTS - 1)!r})", "until": str(self.release), "answer": "No."}, {"answer": "No."}]
        code, summary, requests, running, cpu_ms = self.run_held(PARTS, rules, "--workers", str(WORKERS), "--rounds", "1")
        self.assertEqual((code, len(requests), [part["success"] for part in summary]), (1, PARTS * WORKERS, [False] * PARTS))
        told = self.recorded(running)
        self.assertEqual(sorted(told), sorted(f"add_{part}/worker_{worker}/1.json" for part in range(PARTS) for worker in range(1, WORKERS + 1)))
        for name, one in told.items():
            number = int(re.match(r"add_(\d+)/", name)[1])  # type: ignore[index]
            self.assertIn(f"other={number_of(number)!r})", one["asked"]["messages"][-1]["text"], name)
        if program.PRESET == "release":
            self.assertLessEqual(cpu_ms, MOST_CPU_MS)


if __name__ == "__main__":
    unittest.main()
