"""auto --optimize: the verified kernel, and then a faster one; the better one is the result. auto --forms race: the same, where nothing but other forms of kernels is tried."""

from __future__ import annotations

import hashlib
import json
import signal
import unittest
from importlib.metadata import version
from pathlib import Path

import program
from test_winners import FIRST, SLOW


class AutoOptimize(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        self.path = self.folder.path
        self.folder.write("p.py", FIRST.lstrip())

    def run_in(self, *words: str | Path) -> program.Finished:
        return program.run(*words, cwd=self.path)

    def slow_winner(self) -> None:
        """A store whose kernel is right and slow: what auto begins the search with."""
        made = self.run_in("generate", "--problem", "p.py", "--no-verify", "--json").json()
        versions = {"kernelagent": "0.1.0", "torch": version("torch"), "triton": version("triton")}
        kernel = SLOW.lstrip()
        row = {"signature": made["signature"], "gpu": "cpu (interpreter)", "device": "cpu", "versions": versions, "kernel": kernel, "kernel_sha256": hashlib.sha256(kernel.encode()).hexdigest(),
               "entry": "kernel_function", "weights": ["fc_bias", "fc_weight"], "input_ms": 2e6, "best_ms": 1e6, "floor_ms": 0, "moves": [], "when": "2026-11-16T00:00:00.000Z", "run_id": "run_a", "problem": "p.py"}
        (self.path / "slow.json").write_text(json.dumps({"schema": 1, "winners": [row]}))
        self.assertEqual(self.run_in("runs", "winners", "--import", "slow.json").code, 0)

    def test_the_better_kernel_is_the_result(self) -> None:
        self.slow_winner()
        words = ("auto", "--problem", "p.py", "--device", "cpu", "--optimize", "--optimize-rounds", "1", "--strategy", "greedy", "--json")
        done = self.run_in(*words, "--out", "made")
        self.assertEqual(done.code, 0, done.text())
        told = done.json()
        search = told["details"]["optimize"]
        self.assertGreater(search["speedup"], 1, search)
        self.assertEqual(search["total_rounds"], 1)
        best = (self.path / "made/output/best_kernel.py").read_text()
        self.assertEqual(told["kernel_code"], best)
        self.assertEqual(told["details"]["kernel_path"], "made/output/best_kernel.py")
        self.assertEqual((self.path / search["folder"] / "input/kernel.py").read_text(), (self.path / "made/kernel.py").read_text())
        self.assertNotEqual(best, (self.path / "made/kernel.py").read_text())
        summary = json.loads((self.path / "made/summary.json").read_text())
        self.assertEqual((summary["composition"]["path"], summary["composition"]["sha256"]), ("output/best_kernel.py", hashlib.sha256(best.encode()).hexdigest()))
        self.assertEqual((summary["speed"][0]["median_ms"], summary["speed"][0]["speedup"]), (search["initial_kernel_time_ms"], search["speedup"]))
        self.assertIn("optimised: ", summary["message"])
        self.assertEqual(self.run_in("verify", "--problem", "p.py", "--kernel", "made/output/best_kernel.py", "--device", "cpu").code, 0)
        self.assertIn("output/best_kernel.py: accepted", self.run_in("explain", "made").out)
        # The store has the better one now, and a run that is finished is not searched again.
        (row,) = self.run_in("runs", "winners", "--json").json()
        self.assertEqual(row["kernel"], best)
        again = self.run_in("auto", "--resume", "made", "--json")
        self.assertEqual(again.code, 0, again.text())
        self.assertEqual((again.json()["kernel_code"], again.json()["details"]["optimize"]), (best, search))
        self.assertEqual(len(list((self.path / ".optimize").glob("run_*"))), 1)

    def test_the_users_test_is_for_what_the_search_finds_too(self) -> None:
        self.slow_winner()
        given = hashlib.sha256(SLOW.lstrip().encode()).hexdigest()
        self.folder.write("t.py", f"import hashlib\nimport sys\nif hashlib.sha256(open('kernel.py', 'rb').read()).hexdigest() != {given!r}:\n    sys.exit(1)\nprint('PASS')\n")
        done = self.run_in("auto", "--problem", "p.py", "--device", "cpu", "--test-paths", "t.py", "--optimize", "--optimize-rounds", "1", "--strategy", "greedy", "--out", "made", "--json")
        self.assertEqual(done.code, 0, done.text())
        told = done.json()
        self.assertEqual(told["kernel_code"], SLOW.lstrip())
        self.assertEqual(set(told["details"]["optimize"]["candidates"]) - {"same_code"}, {"refused"}, told["details"]["optimize"])

    def test_rewrites_that_are_left_out_are_not_found_again(self) -> None:
        """A sum over all columns of a product is a product with a vector, and no tl.dot is left."""
        self.folder.write("sum.py", SUMMED.lstrip())
        for words, products_only in ((("--no-algebraic",), True), ((), False)):
            with self.subTest(words):
                name = f"made{len(words)}"
                self.assertEqual(self.run_in("generate", "--problem", "sum.py", "--no-verify", "--no-algebraic", "--out", name).code, 0)
                done = self.run_in("optimize", "--problem", "sum.py", "--kernel", f"{name}/kernel.py", "--device", "cpu", "--strategy", "greedy", "--max-rounds", "1", "--no-store", "--record", f"{name}.jsonl", *words)
                self.assertEqual(done.code, 0, done.text())
                texts = [row["text"] for line in (self.path / f"{name}.jsonl").read_text().splitlines() if "text" in (row := json.loads(line)) and isinstance(row["text"], str)]
                self.assertGreater(len(texts), 1)
                self.assertEqual(all("tl.dot" in text for text in texts), products_only)

    def test_who_says_how_a_kernel_is_to_be_gets_no_winner(self) -> None:
        self.slow_winner()
        for words, taken in (((), True), (("--no-algebraic",), False), (("--forms", "none"), False), (("--forms", "measured"), True)):
            with self.subTest(words):
                done = self.run_in("auto", "--problem", "p.py", "--device", "cpu", "--json", *words)
                self.assertEqual(done.code, 0, done.text())
                self.assertEqual(done.json()["kernel_code"] == SLOW.lstrip(), taken)

    def stopped_in_its_search(self, signal_number: int) -> tuple[program.Finished, Path]:
        """auto in the folder "made", stopped in the first round of its search; and what the search knew."""
        self.slow_winner()
        process = program.start("auto", "--problem", "p.py", "--device", "cpu", "--optimize", "--optimize-rounds", "1", "--strategy", "greedy", "--out", "made", cwd=self.path)
        self.assertTrue(program.wait_until(lambda: any(self.path.glob(".optimize/run_*/program_database.json")) or process.poll() is not None, 240))
        done = program.finish(process, signal_number, 30)
        (state,) = self.path.glob(".optimize/run_*/program_database.json")
        return done, state

    def test_a_run_that_was_killed_in_its_search_goes_on_with_it(self) -> None:
        _, state = self.stopped_in_its_search(signal.SIGKILL)
        before = json.loads(state.read_text())
        done = self.run_in("auto", "--resume", "made", "--json")
        self.assertEqual(done.code, 0, done.text())
        after, search = json.loads(state.read_text()), done.json()["details"]["optimize"]
        self.assertEqual((before["round"], after["round"], search["total_rounds"]), (0, 1, 1))
        self.assertEqual((after["input_ms"], self.path / search["folder"]), (before["input_ms"], state.parent), "what was timed is not timed again")
        self.assertGreater(search["speedup"], 1)
        self.assertEqual(done.json()["kernel_code"], (state.parent / "output/best_kernel.py").read_text())

    def test_an_interrupted_search_keeps_the_best(self) -> None:
        done, state = self.stopped_in_its_search(signal.SIGINT)
        self.assertEqual(done.code, 130, done.text())
        self.assertLess(done.seconds, 10)  # 2 on a machine that has nothing else to do
        now = json.loads(state.read_text())
        (best,) = [one for one in now["programs"] if one["program_id"] == now["best"]]
        self.assertEqual((state.parent / "output/best_kernel.py").read_text(), best["kernel_code"])
        self.assertIn("interrupted", self.run_in("runs").out)

    def test_what_cannot_be_done_is_one_sentence(self) -> None:
        rows = {
            "no GPU": (("--optimize",), 3, "needs an NVIDIA GPU"),
            "nothing verified": (("--optimize", "--device", "cpu", "--no-verify"), 2, "only a verified kernel"),
            "not asked for": (("--strategy", "greedy"), 2, "--strategy is for --optimize"),
        }
        for name, (words, code, says) in rows.items():
            with self.subTest(name):
                done = self.run_in("auto", "--problem", "p.py", *words)
                self.assertEqual((done.code, len(done.err.splitlines())), (code, 1), done.text())
                self.assertIn(says, done.err)
                self.assertFalse((self.path / ".fuse").exists())


SUMMED = """
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return (x @ y).sum(1)


def get_inputs():
    return [torch.randn(32, 48), torch.randn(48, 64)]


def get_init_inputs():
    return []
"""

RECURRENT = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.RNN(4, 8)

    def forward(self, x):
        return self.f(x)[0]


def get_inputs():
    return [torch.randn(6, 2, 4)]


def get_init_inputs():
    return []
"""


class RaceOfForms(unittest.TestCase):
    """By the interpreter's clock: which form wins says nothing, and is not asked for here."""

    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        self.path = self.folder.path
        self.folder.write("rnn.py", RECURRENT.lstrip())
        self.folder.write("add.py", "import torch\ndef f(x, y):\n    return x + y\ndef get_inputs():\n    return [torch.randn(64), torch.randn(64)]\n")

    def auto(self, *words: str | Path) -> program.Finished:
        return program.run("auto", "--device", "cpu", "--json", *words, cwd=self.path)

    def test_forms_are_judged_and_timed_and_one_of_them_stays(self) -> None:
        done = self.auto("--problem", "rnn.py", "--forms", "race", "--out", "made")
        self.assertEqual(done.code, 0, done.text())
        told, race = done.json(), done.json()["details"]["forms"]
        state = json.loads((self.path / race["folder"] / "program_database.json").read_text())
        tried = [one["move"] for one in state["attempts"]]
        self.assertTrue(any('in the form "persistent"' in move for move in tried), tried)
        self.assertTrue(all("the built-in generator's kernels" in move for move in tried), "nothing but forms is tried")
        self.assertEqual((race["total_rounds"], race["stop"]), (1, "the limit of 1 round"))
        self.assertTrue(race["told"].startswith("forms: "), race)
        first, kernel = (self.path / "made/kernel.py").read_text(), told["kernel_code"]
        self.assertEqual(race["moves"] == [], kernel == first, "another kernel where a form has won, else the first")
        self.assertIn(kernel, [one["kernel_code"] for one in state["programs"]])
        # Whichever has won is the program's kernel from now on, and is not raced again.
        (winner,) = program.run("runs", "winners", "--json", cwd=self.path).json()
        self.assertEqual(winner["kernel"], kernel)
        again = self.auto("--problem", "rnn.py", "--forms", "race", "--out", "again").json()
        self.assertEqual(again["kernel_code"], kernel)
        self.assertNotIn("forms", again["details"])
        resumed = program.run("auto", "--resume", "made", "--json", cwd=self.path).json()
        self.assertEqual((resumed["kernel_code"], resumed["details"]["forms"]), (kernel, race))
        self.assertEqual(len(list((self.path / ".optimize").glob("run_*"))), 1)

    def test_no_race(self) -> None:
        rows = {"not asked for, without a GPU": ("rnn.py",), "the forms of the table": ("rnn.py", "--forms", "measured"), "no form makes a difference": ("add.py:f", "--forms", "race")}
        for name, (problem, *words) in rows.items():
            with self.subTest(name):
                done = self.auto("--problem", problem, *words)
                self.assertEqual(done.code, 0, done.text())
                self.assertNotIn("forms", done.json()["details"])
        self.assertFalse((self.path / ".optimize").exists())

    def test_what_cannot_be_done_is_one_sentence(self) -> None:
        rows = {
            "no GPU": (("auto", "--forms", "race"), 3, "needs an NVIDIA GPU"),
            "nothing verified": (("auto", "--device", "cpu", "--forms", "race", "--no-verify"), 2, "only a verified kernel"),
            "a class": (("auto", "--device", "cpu", "--forms", "race", "--emit", "kernelbench"), 2, "as kernel_function"),
            "no form": (("auto", "--forms", "rice"), 2, "--forms"),
            "one kernel": (("generate", "--forms", "race"), 2, "--forms"),
            "no kind of move": (("optimize", "--device", "cpu", "--kernel", "k.py", "--moves", "form"), 2, "--moves"),
        }
        self.folder.write("k.py", "def kernel_function(x):\n    return x\n")
        for name, ((command, *words), code, says) in rows.items():
            with self.subTest(name):
                done = program.run(command, "--problem", "rnn.py", *words, cwd=self.path)
                self.assertEqual((done.code, len(done.err.splitlines())), (code, 1), done.text())
                self.assertIn(says, done.err)
                self.assertFalse((self.path / ".fuse").exists())


if __name__ == "__main__":
    unittest.main()
