"""`bench`: refuses what is not verified, keeps every sample, and says without a GPU that it needs one.

The numbers that a CPU gives mean nothing; the way to them is the same.
"""

import json
import tempfile
import unittest
from pathlib import Path

import program

PROBLEM, KERNEL = "examples/softmax_rows.py", "examples/kernels/softmax_rows.py"
WRONG = ("test/problems/relu.py", "test/hostile/partial_or_lucky/nan_swallowed_by_maximum.py")


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def bench(self, *words: str, problem: str = PROBLEM, kernel: str = KERNEL, code: int = 0) -> program.Finished:
        done = program.run("bench", "--problem", problem, "--kernel", kernel, *words)
        self.assertEqual(done.code, code, done.text())
        return done

    def test_samples_and_ratios_are_kept(self):
        out = self.folder / "run"
        answer = json.loads(self.bench("--device", "cpu", "--rounds", "7", "--out", str(out), "--json").out)
        timings = {t["contender"]: t for t in answer["timings"]}
        self.assertEqual(list(timings), ["kernel", "eager"])
        for timing in timings.values():
            self.assertEqual(len(timing["samples_ms"]), 7)
            self.assertGreater(timing["min_ms"], 0)
            self.assertLessEqual(timing["min_ms"], timing["median_ms"])
        ratio = answer["ratios"][0]
        self.assertEqual(ratio["baseline"], "eager")
        self.assertAlmostEqual(ratio["ratio"], timings["eager"]["median_ms"] / timings["kernel"]["median_ms"])
        self.assertLessEqual(ratio["low"], ratio["high"])
        self.assertTrue(answer["verdict"]["accepted"])
        lines = [json.loads(line) for line in (out / "timings.jsonl").read_text().splitlines()]
        self.assertEqual(lines, answer["timings"])

        again = self.folder / "again"  # the verdict that the run has left is as good as a new one
        text = self.bench("--device", "cpu", "--rounds", "3", "--verdict", str(out / "verdict.json"), "--out", str(again)).out
        self.assertIn("times the kernel's", text)

    def test_a_compiled_baseline_runs_or_says_why_not(self):
        kernel = self.folder / "run"
        made = program.run("generate", "--problem", "examples/gelu_chain.py", "--out", str(kernel))
        self.assertEqual(made.code, 0, made.text())
        answer = json.loads(self.bench("--device", "cpu", "--rounds", "2", "--baseline", "eager,compile", "--verdict", str(kernel / "verdict.json"),
                                       "--out", str(self.folder / "bench"), "--json", problem="examples/gelu_chain.py", kernel=str(kernel / "kernel.py")).out)
        ran = [t["contender"] for t in answer["timings"]]
        self.assertTrue("compile" in ran or answer["failed"]["compile"], answer["failed"])
        self.assertEqual(ran[:2], ["kernel", "eager"])

    def test_a_wrong_kernel_is_not_timed(self):
        done = self.bench("--device", "cpu", "--out", str(self.folder / "run"), problem=WRONG[0], kernel=WRONG[1], code=1)
        self.assertIn("is not timed, because it is not right: result.special", done.err)
        self.assertFalse((self.folder / "run").exists())

    def test_a_verdict_must_be_about_these_files(self):
        verdict = self.folder / "verdict.json"
        done = program.run("verify", "--problem", PROBLEM, "--kernel", KERNEL, "--out", str(self.folder))
        self.assertEqual(done.code, 0, done.text())
        changed = self.folder / "kernel.py"
        changed.write_text((program.ROOT / KERNEL).read_text() + "\n# changed\n")
        self.assertIn("about another kernel", self.bench("--device", "cpu", "--verdict", str(verdict), kernel=str(changed), code=2).err)
        problem = self.folder / "problem.py"
        problem.write_text((program.ROOT / PROBLEM).read_text() + "\n# changed\n")
        self.assertIn("about another problem", self.bench("--device", "cpu", "--verdict", str(verdict), problem=str(problem), code=2).err)
        self.assertIn("about mode train", self.bench("--device", "cpu", "--mode", "eval", "--verdict", str(verdict), code=2).err)
        verdict.write_text("{")
        self.assertEqual(len(self.bench("--device", "cpu", "--verdict", str(verdict), code=2).err.splitlines()), 1)

    def test_bad_values(self):
        for words, says in ((("--baseline", "eager,fast"), 'unknown baseline "fast"'), (("--rounds", "0"), "--rounds: at least 1"),
                            (("--rounds", "x"), "not a whole number"), (("--seconds", "1e9"), "--seconds: at most"), (("--verdict", "no.json"), "no.json")):
            done = self.bench("--device", "cpu", *words, code=2)
            self.assertIn(says, done.err)
            self.assertEqual(len(done.err.splitlines()), 1)

    def test_without_a_gpu(self):
        done = program.run("bench", "--problem", PROBLEM, "--kernel", KERNEL, env={"PATH": "/nonexistent"})
        self.assertEqual(done.code, 3, done.text())
        self.assertIn("needs an NVIDIA GPU", done.err)


if __name__ == "__main__":
    unittest.main()
