"""The program that the profiler watches: warm calls first, one call between the marks, a failure that is told.

There is no GPU here: the interpreter takes its place, and the marks are written down instead of set.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import torch

import reference_harness as harness

profile_target = harness.bridge("profile_target")
profile_launches = harness.bridge("profile_launches")

PROBLEM = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)
def get_inputs():
    return [torch.randn(8, 16)]
"""
KERNEL = """
import torch
def kernel_function(x):
    with open({log!r}, "a") as log:
        log.write("call ")
    {body}
    return torch.empty_like(x)
"""


class Marks:
    def __init__(self, log: Path) -> None:
        self.log = log

    def cudaProfilerStart(self) -> None:
        self._write("start ")

    def cudaProfilerStop(self) -> None:
        self._write("stop ")

    def _write(self, word: str) -> None:
        with self.log.open("a") as log:
            log.write(word)


class Target(unittest.TestCase):
    def watched(self, body: str) -> tuple[int, str, str]:
        """Exit code, what happened in which order, the failure that was told. In a process of its own, as below the profiler."""
        with tempfile.TemporaryDirectory() as name:
            folder, log = Path(name), Path(name) / "log"
            log.touch()
            (folder / "problem.txt").write_text(PROBLEM)
            (folder / "kernel.txt").write_text(KERNEL.format(log=str(log), body=body))
            request = {"filename": "p.py", "name": None, "mode": "train", "device": "cpu", "seed": 0, "kernel_filename": "k.py", "entry": "",
                       "budget": {**harness.BUDGET, "widths": False, "single": True}, "contenders": ["kernel"]}
            (folder / "request.json").write_text(json.dumps(request))
            pid = os.fork()
            if pid == 0:
                code = 99
                try:
                    with mock.patch.object(sys, "argv", ["target", name]), mock.patch.object(torch.cuda, "is_available", lambda: True), \
                            mock.patch.object(torch.cuda, "synchronize", lambda: None), mock.patch.object(torch.cuda, "cudart", lambda: Marks(log)):
                        code = profile_target.main()
                finally:
                    os._exit(code)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            failure = folder / "failure.json"
            return code, log.read_text().strip(), json.loads(failure.read_text())["error"]["message"] if failure.exists() else ""

    def test_one_warm_call_lies_between_the_marks(self):
        self.assertEqual(self.watched("pass"), (0, "call call start call stop", ""))

    def test_what_fails_is_told_and_nothing_is_marked(self):
        code, log, failure = self.watched("raise ValueError('no such tile')")
        self.assertEqual((code, log), (1, "call"))
        self.assertIn("ValueError: no such tile", failure)

    def test_without_a_gpu_it_says_so(self):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "request.json").write_text("{}")
            with mock.patch.object(sys, "argv", ["target", name]), mock.patch.object(torch.cuda, "is_available", lambda: False):
                self.assertEqual(profile_target.main(), 1)
            self.assertIn("no CUDA device", (Path(name) / "failure.json").read_text())


class Entry(unittest.TestCase):
    def test_the_usual_names_in_their_order(self):
        both = b"class ModelNew: pass\ndef kernel_function(): pass\n"
        for text, asked, found in ((both, "", "kernel_function"), (both, "other", "other"), (b"class ModelNew: pass", "", "ModelNew"), (b"x = (", "", "kernel_function"),
                                   (b"", "", "kernel_function")):
            self.assertEqual(profile_launches.entry_of(text, asked), found)


if __name__ == "__main__":
    unittest.main()
