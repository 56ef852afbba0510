"""`eval --optimize`: every verified task is searched, rows and tables have both kernels, and what was searched is not searched again.

The default kernel of the task is a slow one out of the store (`--winners`), so that there is something to find. The numbers that a CPU gives mean nothing.
"""

from __future__ import annotations

import csv
import hashlib
import json
import unittest
from importlib.metadata import version
from typing import Any

import program
from test_winners import FIRST, SLOW

SEARCH = ("--optimize", "--optimize-minutes", "10", "--optimize-rounds", "1")  # on a busy machine a part of a minute is over before the first round


class EvalOptimize(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        self.path = self.folder.path
        (self.path / "suite").mkdir()
        (self.path / "suite/linear.py").write_text(FIRST.lstrip())

    def eval(self, *words: str, code: int = 0) -> program.Finished:
        done = program.run("eval", "--suite", "suite", "--out", "out", "--device", "cpu", *words, cwd=self.path)
        self.assertEqual(done.code, code, done.text())
        return done

    def results(self) -> dict[str, Any]:
        return json.loads((self.path / "out/results.json").read_text())

    def row(self) -> dict[str, Any]:
        return self.results()["problems"][0]

    def searches(self) -> int:
        return len(list((self.path / ".optimize").glob("run_*")))

    def slow_winner(self, kernel: str = SLOW.lstrip()) -> str:
        made = program.run("generate", "--problem", "suite/linear.py", "--no-verify", "--json", cwd=self.path).json()
        versions = {"kernelagent": "0.1.0", "torch": version("torch"), "triton": version("triton")}
        row = {"signature": made["signature"], "gpu": "cpu (interpreter)", "device": "cpu", "versions": versions, "kernel": kernel,
               "kernel_sha256": hashlib.sha256(kernel.encode()).hexdigest(), "entry": "kernel_function", "weights": ["fc_bias", "fc_weight"], "input_ms": 2e6, "best_ms": 1e6,
               "floor_ms": 0, "moves": [], "when": "2026-11-16T00:00:00.000Z", "run_id": "run_a", "problem": "p.py"}
        (self.path / "slow.json").write_text(json.dumps({"schema": 1, "winners": [row]}))
        self.assertEqual(program.run("runs", "winners", "--import", "slow.json", cwd=self.path).code, 0)
        return made["signature"]

    def check_columns(self, done: program.Finished) -> None:
        """Both kernels against the baseline, from one process."""
        row, results = self.row(), self.results()
        bench, both = row["bench"], row["bench"]["optimized"]
        self.assertEqual(both["sha256"], row["optimized"]["kernel"]["sha256"])
        self.assertAlmostEqual(both["gain"]["ratio"], bench["kernel_ms"] / both["kernel_ms"])
        self.assertGreater(both["gain"]["ratio"], 1)
        self.assertAlmostEqual(both["ratios"][0]["ratio"], bench["median_ms"]["eager"] / both["kernel_ms"])
        samples = json.loads((self.path / "out" / bench["samples"]).read_text())
        self.assertEqual([one["contender"] for one in samples["timings"]], ["kernel", "eager", "kernel_1"])
        after = results["optimized"]
        self.assertEqual((after["searched"], after["faster"], after["failed"]), (1, 1, 0))
        self.assertAlmostEqual(after["gain"], both["gain"]["ratio"])
        self.assertAlmostEqual(results["summary"]["cuts"][0]["speeds"][0]["geomean"], bench["ratios"][0]["ratio"])
        self.assertAlmostEqual(after["summary"]["cuts"][0]["speeds"][0]["geomean"], both["ratios"][0]["ratio"])
        with (self.path / "out/results.csv").open(newline="") as file:
            (line,) = csv.DictReader(file)
        self.assertEqual((line["search"], line["search_rounds"], line["search_moves"]), ("faster", "1", "; ".join(row["optimized"]["moves"])))
        self.assertAlmostEqual(float(line["ratio_eager_after"]) / both["ratios"][0]["ratio"], 1, places=4)
        self.assertAlmostEqual(float(line["optimized_ms"]) / both["kernel_ms"], 1, places=4)
        self.assertIn("after optimisation: 1 task searched: 1 with a faster kernel", done.out)
        self.assertIn("Speed after optimisation", (self.path / "out/report.html").read_text())

    def test_searched_then_timed_with_both_kernels(self) -> None:
        signature = self.slow_winner()
        done = self.eval("--winners", *SEARCH)
        row = self.row()
        self.assertEqual((row["winner"], row["kernel"]["path"]), (signature, "linear.py"))
        told = row["optimized"]
        self.assertEqual((told["state"], told["of"], told["rounds"], told["faster"]), ("ended", row["kernel"]["sha256"], 1, True))
        self.assertGreater(told["ratio"], 1)
        self.assertTrue(told["moves"] and told["stop"], told)
        best = (self.path / "out" / told["kernel"]["path"]).read_text()
        self.assertEqual(hashlib.sha256(best.encode()).hexdigest(), told["kernel"]["sha256"])
        self.assertNotEqual(told["kernel"]["sha256"], row["kernel"]["sha256"])
        self.assertIn("searched     linear.py", done.out)
        self.assertIn("1 task searched: 1 with a faster kernel", done.out)
        (winner,) = program.run("runs", "winners", "--json", cwd=self.path).json()
        self.assertEqual(winner["kernel"], best)

        done = self.eval("--winners", *SEARCH, "--bench", "--rounds", "5", "--resume")
        self.assertEqual((self.row()["optimized"], self.searches()), (told, 1), "searched once")
        self.check_columns(done)
        timed = self.row()
        self.eval("--winners", *SEARCH, "--bench", "--rounds", "5", "--resume")
        self.assertEqual((self.row(), self.searches()), (timed, 1), "nor timed again")

        self.eval("--no-verify")
        self.assertNotIn("winner", self.row(), "only who asks for winners gets one")

    def test_a_search_that_fails_costs_itself(self) -> None:
        (self.path / ".optimize").write_text("no folder")
        done = self.eval(*SEARCH, "--bench", "--rounds", "5")
        row = self.row()
        self.assertEqual((row["status"], row["optimized"]["state"]), ("verified", "failed"))
        self.assertTrue(row["optimized"]["error"])
        self.assertGreater(row["bench"]["kernel_ms"], 0)
        self.assertIn("not searched linear.py", done.out)
        results = self.results()
        self.assertEqual(results["optimized"]["failed"], 1)
        self.assertEqual(results["optimized"]["summary"]["cuts"], results["summary"]["cuts"], "the default kernel counts")

    def test_a_search_that_was_broken_off_is_done(self) -> None:
        self.eval()
        results = self.path / "out/results.jsonl"
        row = json.loads(results.read_text())
        begun = {"of": row["kernel"]["sha256"], "on": "cpu", "folder": ".optimize/run_lost", "state": "begun"}
        results.write_text(json.dumps({**row, "optimized": begun}) + "\n")
        self.eval("--resume")
        self.assertNotIn("optimized", self.results(), "begun is not done")
        self.eval("--resume", *SEARCH)
        told = self.row()["optimized"]
        self.assertEqual((told["state"], self.row()["seconds"]), ("ended", row["seconds"]))
        self.assertTrue((self.path / told["folder"] / "optimize.json").exists())

    def test_nothing_but_forms_is_tried_where_that_is_asked_for(self) -> None:
        self.slow_winner()
        self.eval("--winners", "--optimize", "--moves", "forms")
        told = self.row()["optimized"]
        self.assertEqual(told["state"], "ended")
        self.assertLessEqual(told["rounds"], 1)
        state = json.loads((self.path / told["folder"] / "program_database.json").read_text())
        self.assertEqual([one["move"] for one in state["attempts"] if "the built-in generator's kernels" not in one["move"]], [])

    def test_what_cannot_be_done_is_one_sentence(self) -> None:
        rows = {
            "not asked for": (("--optimize-rounds", "1"), 2, "--optimize-rounds is for --optimize"),
            "no forms to try": (("--moves", "forms"), 2, "--moves is for --optimize"),
            "no kind of move": (("--optimize", "--moves", "knobs"), 2, "all, forms"),
            "nothing verified": (("--optimize", "--no-verify"), 2, "only a verified kernel"),
            "no minutes": (("--optimize", "--optimize-minutes", "0"), 2, "--optimize-minutes"),
            "no rounds": (("--optimize", "--optimize-rounds", "0"), 2, "--optimize-rounds"),
        }
        for name, (words, code, says) in rows.items():
            with self.subTest(name):
                done = self.eval(*words, code=code)
                self.assertEqual(len(done.err.splitlines()), 1, done.text())
                self.assertIn(says, done.err)
        done = program.run("eval", "--suite", "suite", "--optimize", cwd=self.path)
        self.assertEqual((done.code, done.err.splitlines()), (3, ["kernelagent: eval: --optimize needs an NVIDIA GPU, and this machine has none"]))


if __name__ == "__main__":
    unittest.main()
