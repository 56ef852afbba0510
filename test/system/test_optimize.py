"""kernelagent optimize with the interpreter as its device: the whole loop, where blocks that are too small really cost time."""

from __future__ import annotations

import hashlib
import json
import signal
import unittest
from pathlib import Path

import program
from test_workers import RELU, WRONG

# Blocks of 64 elements, one after the other: the interpreter takes a hundred programs for it.
SLOW = program.RELU_KERNEL.strip().replace("BLOCK=1024", "BLOCK=64").replace(", 1024)", ", 64)")


class Optimize(unittest.TestCase):
    def setUp(self) -> None:
        folder = program.Folder()
        self.addCleanup(folder.remove)
        self.folder = folder.path
        self.problem = folder.write("p.py", RELU)
        self.kernel = folder.write("k.py", SLOW)
        self.out = self.folder / "run"

    def optimize(self, *words: str | Path) -> program.Finished:
        return program.run("optimize", "--problem", self.problem, "--kernel", self.kernel, "--device", "cpu", "--json", "--out", self.out, *words, cwd=self.folder)

    def test_blocks_that_are_too_small_become_larger(self) -> None:
        self.assertIn("BLOCK=64", SLOW)
        done = self.optimize("--max-rounds", "2")
        self.assertEqual(done.code, 0, done.text())
        told = done.json()
        self.assertGreater(told["speedup"], 2, told)
        self.assertEqual(told["total_rounds"], 2)
        self.assertIn("the limit of 2 rounds", told["stop"])
        self.assertTrue(told["verdict"]["accepted"])
        best = (self.out / "output/best_kernel.py").read_text()
        self.assertEqual(best, told["kernel_code"])
        self.assertNotIn("BLOCK=64)", best)
        self.assertEqual((self.out / "input/kernel.py").read_text(), self.kernel.read_text())
        samples = [json.loads(line) for line in (self.out / "timings.jsonl").read_text().splitlines()]
        self.assertGreater(len(samples), 4)
        artifacts = self.out / "workers/w0" / self.out.name / "artifacts"
        rounds = [json.loads((artifacts / f"round{n:03}_strategy.json").read_text()) for n in (1, 2)]
        self.assertEqual([(row["round_num"], row["worker_id"]) for row in rounds], [(1, "w0"), (2, "w0")])
        attempts = json.loads((self.out / "program_database.json").read_text())["attempts"]
        tried = [move for path in sorted(self.out.glob("workers/w*/*/artifacts/round001_strategy.json")) for move in json.loads(path.read_text())["moves"]]
        self.assertEqual(sorted(move["recommended_fix"] for move in tried), sorted(row["move"] for row in attempts if row["round_num"] == 1))
        self.assertEqual([move["outcome"] for move in tried if move["is_improvement"]], ["kept"])
        fastest = hashlib.sha256((artifacts / "kernel_round_1.py").read_bytes()).hexdigest()
        self.assertEqual(fastest, min((move for move in rounds[0]["moves"] if move["time_after_ms"]), key=lambda move: move["time_after_ms"])["kernel_sha256"])
        listed = program.run("runs", "show", self.out, "--json", cwd=self.folder)
        self.assertEqual((listed.code, json.loads((self.out / "summary.json").read_text())["success"]), (0, True), listed.text())
        why = program.run("explain", self.out, cwd=self.folder).out
        self.assertIn("verified", why.splitlines()[0].split())
        self.assertRegex(why, r"round 1: [\d.]+ ms, [\d.]+ times as fast as the given kernel\n +against ")
        self.assertIn("ended: the limit of 2 rounds", why)
        times = json.loads((self.out / "summary.json").read_text())["times"]
        self.assertEqual(set(times), {"program", "moves", "judge", "timing", "last race", "last verdict"})
        self.assertRegex(why, r"\n  timing +[\d.]+ s +\d+ %")
        for row in samples:
            self.assertGreater(min(row["samples_ms"]), 0)

    def test_a_kernel_without_knobs_meets_that_of_the_generator(self) -> None:
        fixed = SLOW.replace("BLOCK=64", "BLOCK=SIZE").replace(", 64)", ", SIZE)").replace("\n@triton.jit", "\nSIZE = 64\n\n\n@triton.jit", 1)
        self.assertIn("SIZE = 64", fixed)
        self.kernel.write_text(fixed)
        done = self.optimize("--max-rounds", "1")
        self.assertEqual(done.code, 0, done.text())
        attempts = json.loads((self.out / "program_database.json").read_text())["attempts"]
        self.assertTrue(any("the built-in generator's kernels (1 launch, about" in row["move"] for row in attempts), attempts)
        self.assertGreater(done.json()["speedup"], 2, done.json()["stop"])
        self.assertIn("Written by kernelagent", done.json()["kernel_code"])

    def test_a_run_that_was_killed_goes_on(self) -> None:
        words = ("optimize", "--problem", self.problem, "--kernel", self.kernel, "--device", "cpu", "--out", self.out, "--strategy", "greedy")
        process = program.start(*words, "--max-rounds", "3")
        state = self.out / "program_database.json"
        self.assertTrue(program.wait_until(lambda: state.exists() and json.loads(state.read_text())["round"] >= 1, 120))
        program.finish(process, signal.SIGKILL, 30)
        before = json.loads(state.read_text())
        done = program.run("optimize", "--resume", self.out, "--max-rounds", str(before["round"] + 1), "--json", cwd=self.folder)
        self.assertEqual(done.code, 0, done.text())
        after = json.loads(state.read_text())
        self.assertEqual(after["round"], before["round"] + 1)
        self.assertEqual(after["attempts"][:len(before["attempts"])], before["attempts"])
        self.assertLessEqual(done.json()["best_time_ms"], before["input_ms"] * 1.2)
        changed = program.run("optimize", "--resume", self.out, "--strategy", "beam_search", cwd=self.folder)
        self.assertEqual((changed.code, len(changed.err.splitlines())), (2, 1), changed.text())

    def test_what_cannot_be_done_is_one_sentence(self) -> None:
        wrong = self.folder / "wrong.py"
        wrong.write_text(WRONG)
        begin = ("optimize", "--problem", self.problem, "--device", "cpu", "--kernel")
        rows = {
            "wrong kernel": ((*begin, wrong), 2, "the kernel to begin with is refused: result.mismatch"),
            "no kernel": ((*begin, self.folder / "none.py"), 2, "does not exist"),
            "strategy": ((*begin, self.kernel, "--strategy", "best"), 2, "accepted: beam_search, greedy"),
            "width of greedy": ((*begin, self.kernel, "--strategy", "greedy", "--beam-width", "3"), 2, "--beam-width"),
            "target": ((*begin, self.kernel, "--target-sol", "1.5"), 2, "--target-sol"),
            "rounds": ((*begin, self.kernel, "--max-rounds", "0"), 2, "--max-rounds: a whole number from 1 to"),
            "resume of nothing": (("optimize", "--resume", self.folder / "nothing"), 2, "--resume"),
        }
        for name, (words, code, says) in rows.items():
            with self.subTest(name):
                done = program.run(*words, cwd=self.folder)
                self.assertEqual((done.code, len(done.err.splitlines())), (code, 1), done.text())
                self.assertIn(says, done.err)
        done = program.run("optimize", "--problem", self.problem, "--kernel", self.kernel, cwd=self.folder)
        self.assertEqual(done.code, 3, done.text())
        self.assertIn("NVIDIA GPU", done.err)


if __name__ == "__main__":
    unittest.main()
