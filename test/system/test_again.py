"""The command that gives a verdict again, as a run, the same run resumed, a stage and `explain` print it: it can be typed where they were, and says the same."""

from __future__ import annotations

import re
import shlex
import unittest

import program

ADD = """
import torch


class Sum(torch.nn.Module):
    def forward(self, x, y):
        return torch.relu(x) + y


class Other(torch.nn.Module):
    def forward(self, x, y):
        return x - y


def get_inputs():
    return [torch.randn(40), torch.randn(40)]


def get_init_inputs():
    return []
"""


class Again(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        self.folder.write("my kernel.py", ADD.lstrip())

    def run_in(self, *words: str) -> str:
        done = program.run(*words, cwd=self.folder.path)
        self.assertEqual(done.code, 0, done.text())
        return done.out

    def again(self, text: str) -> list[str]:
        """The words after the program's own name; explain breaks long lines."""
        found = re.search(r"kernelagent (verify --problem.*?--device\s+\w+)", text, re.S)
        assert found is not None, text
        return shlex.split(found[1])

    def test_a_run(self) -> None:
        asked = ("auto", "--problem", "my kernel.py:Sum", "--device", "cpu", "--out", "a run")
        first = self.again(self.run_in(*asked))
        for text in (self.run_in("auto", "--resume", "a run"), self.run_in(*asked), self.run_in("explain", "a run")):
            self.assertEqual(self.again(text), first)
        self.assertIn("ACCEPTED", self.run_in(*first))

    def test_parts_and_their_composition(self) -> None:
        asked = ("pipeline", "--problem", "my kernel.py:Sum", "--device", "cpu", "--out", "a run", "--dispatch-jobs", "1")
        first = self.again(self.run_in(*asked))
        for text in (self.run_in("pipeline", "--resume", "a run"), self.run_in("explain", "a run")):
            self.assertEqual(self.again(text), first)
        self.assertIn("ACCEPTED", self.run_in(*first))
        stage = self.run_in("compose", "--problem", "my kernel.py:Sum", "--subgraphs", "a run/subgraphs.json", "--kernels-summary", "a run/kernels_out/summary.json", "--out-dir", "here", "--verify", "--device", "cpu")
        self.assertIn("ACCEPTED", self.run_in(*self.again(stage)))


if __name__ == "__main__":
    unittest.main()
