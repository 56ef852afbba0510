"""Config files of searches, in the form that users of the earlier tool have: strategy, its own settings in a map, a platform, and keys that mean nothing here."""

from __future__ import annotations

import json
import unittest

import program
from test_optimize import SLOW
from test_workers import RELU, WRONG

OF_WORKERS = """
benchmark_warmup: 10
benchmark_repeat: 50
divergence_threshold: 25.0
sol_improvement_threshold: 5.0
target_platform: cuda
gpu_name: "A GPU"
ncu_bin_path: /usr/bin/ncu
use_rag: false
roofline_config: null
"""
BEAM = """
strategy: beam_search
num_workers: 4
max_rounds: 1
strategy_config:
  num_top_kernels: 3
  num_bottlenecks: 1
openai_model: some-model
high_reasoning_effort: true
bottleneck_override: memory
log_dir: beam_run
database_path: elsewhere.json
templates:
  kernel_optimization: a.j2
""" + OF_WORKERS
GREEDY = """
strategy: greedy
num_workers: 1
max_rounds: 4
strategy_config: {max_no_improvement: 1}
log_dir: greedy_run
""" + OF_WORKERS
NOOP = """
strategy: greedy
num_workers: 1
strategy_config:
  max_no_improvement: 1
platform: noop
""" + OF_WORKERS
SLOTS = """
strategy: beam_search
num_workers: 7
max_rounds: 1
platform:
  verifier: nvidia
  benchmarker: nvidia
  worker_runner: nvidia
  specs_provider: nvidia
  profiler: noop
  roofline_analyzer: nvidia
  bottleneck_analyzer: nvidia
  rag_prescriber: nvidia
"""


class Configs(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        self.folder.write("p.py", RELU)
        self.folder.write("k.py", SLOW)

    def replayed(self) -> tuple[str, str]:
        """The words for a device that answers from a recording, and its problem and kernel in place of the test's own."""
        recording = program.ROOT / "test/recordings/relu"
        for name, other in {"p.py": "problem.py", "k.py": "kernel.py"}.items():
            self.folder.write(name, (recording / other).read_text())
        return "--device", f"recorded:{recording / 'interpreter.jsonl'}"

    def optimize(self, text: str, *words: str) -> program.Finished:
        self.folder.write("c.yaml", text)
        return program.run("optimize", "--problem", "p.py", "--kernel", "k.py", "--config", "c.yaml", *words, cwd=self.folder.path)

    def test_beam_search(self) -> None:
        done = self.optimize(BEAM, "--device", "cpu", "--json", "--llm-timeout-s", "1")
        self.assertEqual(done.code, 0, done.text())
        words = json.loads((self.folder.path / "beam_run/request.json").read_text())["words"]
        for word in ("--beam-width=3", "--bottlenecks=1", "--workers=4", "--max-rounds=1", "--strategy=beam_search", "--bottleneck-override=memory"):
            self.assertIn(word, words)
        notes = done.json()["config_notes"]
        self.assertIn("--model=some-model", words)
        self.assertIn("some-model", done.json()["models"]["silent"])  # there is no server for it
        for key in ("database_path", "templates.kernel_optimization", "gpu_name", "benchmark_warmup", "use_rag"):
            self.assertEqual(len([note for note in notes if note.startswith(key + ": ")]), 1, notes)
        state = json.loads((self.folder.path / "beam_run/program_database.json").read_text())
        self.assertEqual({row["bottleneck"] for row in state["attempts"]}, {"memory", "another_kernel"})

    def test_greedy_ends_where_its_patience_does(self) -> None:
        done = self.optimize(GREEDY + "\ntarget_sol: 0.9\n", *self.replayed(), "--out", "other", "--max-rounds", "1")
        self.assertEqual(done.code, 0, done.text())
        self.assertIn("the limit of 1 round", done.out)  # a flag beats the file
        self.assertIn("gpu_name: the driver is asked which GPU this is\n", done.out)
        words = json.loads((self.folder.path / "other/request.json").read_text())["words"]
        self.assertIn("--patience=1", words)
        self.assertFalse((self.folder.path / "greedy_run").exists())

    def test_noop_judges_and_times_nothing(self) -> None:
        done = self.optimize(NOOP, "--json")  # no GPU is needed for it
        self.assertEqual(done.code, 0, done.text())
        told = done.json()
        self.assertEqual((told["kernel_code"], told["best_time_ms"], told["total_rounds"]), ((self.folder.path / "k.py").read_text(), None, 0))
        self.assertIn("nothing is profiled or timed", told["stop"])
        self.assertTrue(told["verdict"]["accepted"])
        run = self.folder.path / told["folder"]
        self.assertEqual((run / "output/best_kernel.py").read_text(), told["kernel_code"])
        self.assertEqual(program.run("explain", run, cwd=self.folder.path).code, 0)
        one_slot = self.optimize(SLOTS.replace("worker_runner: nvidia", "worker_runner: noop"))
        self.assertEqual(one_slot.code, 0, one_slot.text())
        self.assertIn("nothing is profiled or timed", one_slot.out)
        self.folder.write("k.py", WRONG)
        self.assertEqual(self.optimize(NOOP).code, 1)

    def test_a_map_of_slots(self) -> None:
        done = self.optimize(SLOTS, *self.replayed(), "--json")
        self.assertEqual(done.code, 0, done.text())
        self.assertEqual(done.json()["config_notes"], ["platform.profiler: this part cannot be exchanged"])

    def test_what_is_wrong_is_one_sentence(self) -> None:
        rows = {
            "unknown": ("num_worker: 4\n", 'line 1: no command knows "num_worker" (did you mean "num_workers"?)'),
            "unknown in a map": ("strategy_config:\n  num_top_kernel: 2\n", 'line 2: no command knows "strategy_config.num_top_kernel" (did you mean "strategy_config.num_top_kernels"?)'),
            "a map elsewhere": ("strategy:\n  name: greedy\n", "strategy holds names of its own"),
            "a value": ("strategy: best\n", "accepted: beam_search, greedy"),
            "a number": ("strategy_config: {num_top_kernels: many}\n", "--beam-width: a whole number from 1 to"),
            "a platform": ("platform: amd\n", '--platform: "amd" is no platform of a search; accepted: nvidia, noop'),
            "a slot": ("platform: {profiler: rocprof}\n", 'platform.profiler: "rocprof" is no platform'),
            "another device": ("target_platform: xpu\n", 'target_platform: "xpu"'),
            "a category": ("bottleneck_override: luck\n", "accepted: memory, compute, underutilized"),
        }
        for name, (text, says) in rows.items():
            with self.subTest(name):
                done = self.optimize(text, "--device", "cpu")
                self.assertEqual((done.code, len(done.err.splitlines())), (2, 1), done.text())
                self.assertIn(says, done.err)


if __name__ == "__main__":
    unittest.main()
