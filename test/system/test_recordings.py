"""kernelagent optimize --record and --device recorded:FILE: a run that was written down is answered from the file, without a GPU and the same every time."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

import program
from test_optimize import SLOW
from test_workers import RELU

FOLDERS = sorted(path.parent for path in (program.ROOT / "test/recordings").glob("*/problem.py"))
# What may differ between two runs over the same answers.
OF_A_RUN = ("winner", "folder", "kernel", "device", "recording", "verdict")


def told(done: program.Finished) -> dict[str, object]:
    return {name: value for name, value in done.json().items() if name not in OF_A_RUN}


class Recordings(unittest.TestCase):
    def setUp(self) -> None:
        folder = program.Folder()
        self.addCleanup(folder.remove)
        self.folder = folder.path
        self.problem = folder.write("p.py", RELU)
        self.kernel = folder.write("k.py", SLOW.replace("BLOCK=64)", "BLOCK=64, num_stages=2)"))

    def optimize(self, out: str, *words: str | Path) -> program.Finished:
        return program.run("optimize", "--problem", self.problem, "--kernel", self.kernel, "--out", self.folder / out, *words, cwd=self.folder)

    def test_a_run_that_was_written_down_happens_again(self) -> None:
        file = self.folder / "r.jsonl"
        real = self.optimize("real", "--device", "cpu", "--max-rounds", "1", "--record", file, "--json")
        self.assertEqual(real.code, 0, real.text())
        self.assertGreater(real.json()["speedup"], 1.5)
        self.assertGreaterEqual(real.json()["candidates"]["same_code"], 2, "stages of a kernel without a loop are no difference")
        again = self.optimize("again", "--device", f"recorded:{file}", "--max-rounds", "1", "--json")
        self.assertEqual(again.code, 0, again.text())
        self.assertEqual(told(again), told(real))
        self.assertEqual((again.json()["device"], real.json()["recording"]), ("recorded", ""))
        self.assertIn("a recording by the interpreter", again.json()["recording"])
        words = self.optimize("words", "--device", f"recorded:{file}", "--max-rounds", "1")
        self.assertIn("by a recording by the interpreter, which says nothing about a GPU, taken 20", words.out)
        rows = {
            "over another": (("--device", "cpu", "--record", file), "is there already"),
            "recorded again": (("--device", f"recorded:{file}", "--record", self.folder / "r2.jsonl"), "not recorded again"),
            "no file": (("--device", f"recorded:{self.folder}/none"), "does not exist"),
            "no recording": (("--device", f"recorded:{self.problem}"), "p.py:1"),
        }
        for name, (flags, says) in rows.items():
            with self.subTest(name):
                done = self.optimize("none", *flags)
                self.assertEqual((done.code, len(done.err.splitlines())), (2, 1), done.text())
                self.assertIn(says, done.err)
        self.kernel.write_text(SLOW + "\n# another\n")
        self.assertIn("the recording does not have it", self.optimize("kernel", "--device", f"recorded:{file}").err)
        self.problem.write_text(self.problem.read_text() + "\n# another\n")
        self.assertIn("a recording of another problem", self.optimize("problem", "--device", f"recorded:{file}").err)

    def test_the_recordings_that_are_kept(self) -> None:
        for folder in FOLDERS:
            for file in sorted(folder.glob("*.jsonl")):
                for strategy in ("beam_search", "greedy"):
                    with self.subTest(file.name, folder=folder.name, strategy=strategy):
                        self.replay(folder, file, strategy)

    def replay(self, folder: Path, file: Path, strategy: str) -> None:
        head = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
        name = f"{folder.name}_{file.stem}_{strategy}"
        words = ("optimize", "--problem", folder / "problem.py", "--kernel", folder / "kernel.py", "--device", f"recorded:{file}", "--strategy", strategy, "--json")
        whole = program.run(*words, "--out", self.folder / name, cwd=self.folder)
        self.assertEqual(whole.code, 0, whole.text())
        self.assertGreater(whole.json()["speedup"], 1)
        self.assertIn(head["gpu"] or "the interpreter", whole.json()["recording"])
        self.assertIn(head["recorded"], whole.json()["recording"])
        parts = program.run(*words, "--max-rounds", "1", "--out", self.folder / (name + "_parts"), cwd=self.folder)
        self.assertEqual(parts.json()["total_rounds"], 1)
        resumed = program.run("optimize", "--resume", self.folder / (name + "_parts"), "--max-rounds", "10", "--json", cwd=self.folder)
        self.assertEqual(told(resumed), told(whole))


if __name__ == "__main__":
    unittest.main()
