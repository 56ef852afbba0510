"""`eval --bench`: every verified task has its times, whatever the others do; what was measured is not measured again.

The numbers that a CPU gives mean nothing; the way to them is the same.
"""

import csv
import json
import signal
import tempfile
import unittest
from pathlib import Path

import program
from test_eval import problem

TIMING = '"TORCHINDUCTOR_COMPILE_THREADS" in os.environ'  # set where times are taken, and nowhere else
RELU = problem("return torch.relu(x)")


def when_timed(*lines: str) -> str:
    """relu, with further lines where inputs are drawn for timing."""
    head = ["import os", "import time", "", "", "def get_inputs():", f"    if {TIMING}:"]
    return RELU.replace("def get_inputs():\n", "\n".join([*head, *(f"        {line}" for line in lines), ""]))


PROBLEMS = {
    "good.py": RELU,
    "constant.py": problem("return torch.clamp(torch.relu(x), max=0.0)"),
    "unsupported.py": problem("return torch.linalg.qr(x)[0]"),
    "hangs.py": when_timed("time.sleep(1000)"),
    "crashes.py": when_timed("os._exit(3)"),
    "compiler_crashes.py": when_timed("torch.compile = lambda *_, **__: os._exit(3)"),
    "compiler_hangs.py": when_timed("torch.compile = lambda *_, **__: time.sleep(1000)"),
    "quick.py": when_timed("torch.compile = lambda model, **_: model"),  # a compiler that does nothing
}


LIMIT_S = "20"  # for a task that hangs; the others share the machine with other suites


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.suite, self.out, self.cache = self.root / "suite", self.root / "out", self.root / "baselines"
        self.suite.mkdir()

    def write(self, *names: str) -> None:
        for name in names:
            (self.suite / name).write_text(PROBLEMS[name])

    def words(self, *words: str) -> list[str]:
        cache = [] if "--no-baseline-cache" in words else ["--baseline-cache", str(self.cache)]
        return ["eval", "--suite", str(self.suite), "--out", str(self.out), "--bench", "--device", "cpu", "--rounds", "5", *cache, *words]

    def bench(self, *words: str, code: int = 0) -> program.Finished:
        done = program.run(*self.words(*words))
        self.assertEqual(done.code, code, done.text())
        return done

    def rows(self) -> dict[str, dict]:
        return {row["name"]: row for row in json.loads((self.out / "results.json").read_text())["problems"]}

    def ratios(self, name: str) -> dict[str, dict]:
        return {ratio["baseline"]: ratio for ratio in self.rows()[name]["bench"]["ratios"]}


class Tasks(Case):
    def test_good_and_bad_tasks(self):
        self.write("good.py", "constant.py", "unsupported.py", "hangs.py", "crashes.py")
        done = self.bench("--bench-limit", LIMIT_S, code=1)
        rows = self.rows()
        self.assertEqual({name: row["status"] for name, row in rows.items()}, {"good.py": "verified", "constant.py": "verified", "unsupported.py": "unsupported",
                                                                              "hangs.py": "verified", "crashes.py": "verified"})
        good = rows["good.py"]
        self.assertEqual((good["family"], good["families"], good["launches"], good["tier"], good["algebraic"]), ("pointwise", {"pointwise": 1}, 1, "fp32", False))
        self.assertEqual(good["work"]["bytes"], 2 * 4 * 8 * 4)
        ratio = good["bench"]["ratios"][0]
        self.assertEqual((ratio["baseline"], ratio["cached"]), ("eager", False))
        self.assertAlmostEqual(ratio["ratio"], good["bench"]["median_ms"]["eager"] / good["bench"]["kernel_ms"])
        self.assertEqual(good["bench"]["best"], ratio)
        self.assertEqual(len(json.loads((self.out / good["bench"]["samples"]).read_text())["timings"][0]["samples_ms"]), 5)
        self.assertNotIn("degenerate", good)
        self.assertEqual(rows["constant.py"]["degenerate"], "every element of a result has the same value")
        self.assertIn("was killed at the time limit", rows["hangs.py"]["bench"]["error"])
        self.assertIn("ended before it answered", rows["crashes.py"]["bench"]["error"])
        summary = json.loads((self.out / "results.json").read_text())["summary"]
        self.assertEqual({key: summary[key] for key in ("tasks", "verified", "timed", "failed", "left", "degenerate")},
                         {"tasks": 5, "verified": 4, "timed": 2, "failed": 3, "left": 0, "degenerate": 1})
        speed = summary["cuts"][0]["speeds"][0]
        self.assertEqual((speed["baseline"], speed["tasks"], speed["failed"], speed["fast_p"][0]["share"]), ("eager", 5, 3, 0.8))
        self.assertEqual(set(summary["worst_first"][:3]), {"unsupported.py", "hangs.py", "crashes.py"})
        with (self.out / "results.csv").open(newline="") as file:
            table = {row["name"]: row for row in csv.DictReader(file)}
        self.assertEqual((table["good.py"]["end"], table["hangs.py"]["end"]), ("timed", "failed"))
        self.assertAlmostEqual(float(table["good.py"]["ratio_eager"]), ratio["ratio"], places=4)
        for said in ("worst first", "without degenerate tasks (4)", "a failure counts as 0.1"):
            self.assertIn(said, done.out)
        self.assertNotIn("without algebraic", done.out)

    def test_a_baseline_costs_its_own_time_alone(self):
        self.write("compiler_crashes.py", "compiler_hangs.py")
        for name, limit, says in (("compiler_crashes.py", "60", "ended before it answered"), ("compiler_hangs.py", LIMIT_S, "was killed at the time limit (--bench-limit)")):
            self.bench("--baseline", "compile,max-autotune", "--bench-limit", limit, "--filter", name)
            self.assertEqual(list(self.ratios(name)), ["eager"])
            failed = self.rows()[name]["bench"]["failed"]
            self.assertEqual(set(failed), {"compile", "compile_max_autotune"})
            self.assertIn(says, failed["compile"])


class SideBySide(Case):
    def test_tasks_are_prepared_together_and_sampled_alone(self):
        names = ("a.py", "b.py", "c.py")
        for name in names:
            (self.suite / name).write_text(when_timed("time.sleep(1)", "torch.compile = lambda model, **_: model"))
        self.bench("--bench-jobs", "3", "--baseline", "compile")
        samples = {name: json.loads((self.out / f"{name}.bench.json").read_text()) for name in names}
        first = samples["a.py"]["prepared"]
        for name, other in samples.items():
            self.assertEqual([len(timing["samples_ms"]) for timing in other["timings"]], [5, 5, 5])
            self.assertLess(other["prepared"][0], first[1], f"{name} began while a.py was prepared")
            for rival in names:
                if rival == name:
                    continue
                for what in ("prepared", "sampled"):
                    begin, end = samples[rival][what]
                    self.assertTrue(end <= other["sampled"][0] or other["sampled"][1] <= begin, f"{rival} was {what} while {name} was sampled")
        for name in names:
            self.assertEqual(set(self.ratios(name)), {"eager", "compile"})

    def test_one_that_hangs_holds_nobody_up(self):
        self.write("good.py", "hangs.py", "crashes.py")
        (self.suite / "a_hangs.py").write_text(PROBLEMS["hangs.py"])  # the first to have a turn, which the others wait for
        self.bench("--bench-jobs", "4", "--bench-limit", LIMIT_S)
        rows = self.rows()
        self.assertGreater(rows["good.py"]["bench"]["kernel_ms"], 0)
        self.assertIn("was killed at the time limit", rows["hangs.py"]["bench"]["error"])
        self.assertIn("ended before it answered", rows["crashes.py"]["bench"]["error"])

    def test_who_lacked_memory_among_others_is_alone_then(self):
        (self.suite / "greedy.py").write_text(when_timed("torch.empty(6 << 30, dtype=torch.uint8).fill_(1)"))
        self.write("good.py")
        self.bench("--bench-jobs", "2", "--memory", "9")
        row = self.rows()["greedy.py"]["bench"]
        self.assertGreater(row["kernel_ms"], 0)
        self.assertIn("once more alone", row["notes"][-1])


class Resume(Case):
    def test_what_is_there_is_not_done_again(self):
        self.write("good.py", "constant.py")
        self.assertEqual(program.run("eval", "--suite", str(self.suite), "--out", str(self.out), "--device", "cpu").code, 0)
        judged = self.rows()
        self.bench("--resume")
        first = self.rows()
        for name, row in first.items():
            self.assertEqual(row["seconds"], judged[name]["seconds"], "judged once")
            self.assertEqual(set(row["bench"]["median_ms"]), {"kernel", "eager"})
        self.bench("--resume")
        self.assertEqual(self.rows(), first)
        lines = (self.out / "results.jsonl").read_text().splitlines()
        self.assertEqual(len(lines), 2)

        kernel = self.out / "good.py"  # another kernel than the one that was judged
        kernel.write_text(kernel.read_text() + "\n# changed\n")
        self.bench("--resume")
        again = self.rows()
        self.assertNotEqual(again["good.py"]["seconds"], first["good.py"]["seconds"])
        self.assertEqual(again["constant.py"], first["constant.py"])

        (self.suite / "good.py").write_text(PROBLEMS["good.py"] + "\n# changed\n")
        self.bench("--resume")
        self.assertNotEqual(self.rows()["good.py"]["problem_sha256"], again["good.py"]["problem_sha256"])

    def test_another_baseline_is_measured_then(self):
        self.write("quick.py")
        self.bench()
        self.bench("--resume", "--baseline", "compile")
        self.assertEqual(list(self.ratios("quick.py")), ["eager", "compile"])

    def test_a_row_that_was_cut_or_changed_is_done_again(self):
        self.write("good.py")
        self.bench()
        results = self.out / "results.jsonl"
        row = json.loads(results.read_text().splitlines()[-1])
        for text in (results.read_text()[:-30], json.dumps({**row, "bench": {"kernel_ms": -1}}) + "\n", "[]\n", "\0\n"):
            results.write_text(text)
            self.bench("--resume")
            self.assertGreater(self.rows()["good.py"]["bench"]["kernel_ms"], 0)

    def test_the_minutes_are_over(self):
        self.write("good.py", "hangs.py", "constant.py")
        done = self.bench("--max-minutes", "0.5", code=1)
        self.assertIn("ended by --max-minutes 0.5: ", done.out)
        self.assertRegex(done.out, r"[12] of 3 tasks are left; --resume goes on with them")
        rows = self.rows()
        self.assertNotIn("bench", rows["hangs.py"])
        self.bench("--resume", "--bench-limit", LIMIT_S)
        self.assertIn("was killed", self.rows()["hangs.py"]["bench"]["error"])
        self.assertGreater(self.rows()["good.py"]["bench"]["kernel_ms"], 0)

    def test_an_interrupted_suite_says_what_is_left(self):
        self.write("hangs.py", "good.py")
        process = program.start(*self.words())
        results = self.out / "results.jsonl"
        self.assertTrue(program.wait_until(lambda: results.exists() and '"bench"' in results.read_text(), 120))
        done = program.finish(process, signal.SIGINT, 30)
        self.assertEqual(done.code, 130, done.text())
        self.assertIn("ended by the user: 1 of 2 tasks are left", done.out)
        self.assertGreater(self.rows()["good.py"]["bench"]["kernel_ms"], 0)


class Cache(Case):
    def test_a_kept_baseline_is_scaled_by_eager(self):
        self.write("quick.py")
        self.bench("--baseline", "compile")
        entry, = self.cache.iterdir()
        kept = json.loads(entry.read_text())["entry"]
        self.assertFalse(self.ratios("quick.py")["compile"]["cached"])

        done = self.bench("--baseline", "compile")
        self.assertIn("times compile (cached)", done.out)
        row = self.rows()["quick.py"]["bench"]
        ratios = self.ratios("quick.py")
        self.assertTrue(ratios["compile"]["cached"])
        scale = row["median_ms"]["eager"] / kept["eager"]["median_ms"]
        self.assertAlmostEqual(row["median_ms"]["compile"], kept["baseline"]["median_ms"] * scale)
        self.assertAlmostEqual(ratios["compile"]["ratio"], row["median_ms"]["compile"] / row["kernel_ms"])
        self.assertLessEqual(ratios["compile"]["low"], ratios["compile"]["high"])
        samples = json.loads((self.out / row["samples"]).read_text())
        self.assertEqual([t["contender"] for t in samples["timings"]], ["kernel", "eager"])
        self.assertEqual(samples["cached"][0]["baseline"], kept["baseline"])
        self.assertEqual(json.loads(entry.read_text())["entry"], kept)
        summary = json.loads((self.out / "results.json").read_text())["summary"]["cuts"][0]["speeds"]
        self.assertEqual([speed["cached"] for speed in summary[:2]], [0, 1])

        self.bench("--baseline", "compile", "--no-baseline-cache")
        self.assertFalse(self.ratios("quick.py")["compile"]["cached"])
        self.assertEqual(json.loads(entry.read_text())["entry"], kept, "refused: neither read nor written")

        entry.write_text(entry.read_text()[:200])
        self.bench("--baseline", "compile")
        self.assertFalse(self.ratios("quick.py")["compile"]["cached"])
        self.assertIn("is damaged", self.rows()["quick.py"]["bench"]["notes"][0])
        self.assertIn("baseline", json.loads(entry.read_text())["entry"])

        (self.suite / "quick.py").write_text(PROBLEMS["quick.py"] + "\n# changed\n")
        self.bench("--baseline", "compile")
        self.assertFalse(self.ratios("quick.py")["compile"]["cached"], "another problem")


class BadUsage(Case):
    def test_one_sentence(self):
        self.write("good.py")
        (self.root / "file").write_text("")
        for words, says in ((("--rounds", "0"), "--rounds"), (("--bench-seconds", "0"), "--bench-seconds"), (("--bench-limit", "x"), "--bench-limit"),
                            (("--max-minutes", "0"), "--max-minutes"), (("--max-minutes", "1e9"), "--max-minutes"), (("--bench-jobs", "0"), "--bench-jobs"),
                            (("--bench-jobs", "2", "--optimize"), "accepted would be --bench-jobs 1"), (("--baseline", "eager,fast"), "unknown baseline")):
            done = self.bench(*words, code=2)
            self.assertIn(says, done.err)
            self.assertEqual(len(done.err.splitlines()), 1)
        for words, says in ((("--rounds", "3"), "--rounds is for --bench"), (("--no-baseline-cache",), "is for --bench"),
                            (("--bench", "--baseline-cache", "x", "--no-baseline-cache"), "one or the other"),
                            (("--bench", "--baseline-cache", str(self.root / "file")), "is no folder")):
            done = program.run("eval", "--suite", str(self.suite), "--out", str(self.out), "--device", "cpu", *words)
            self.assertEqual(done.code, 2, done.text())
            self.assertIn(says, done.err)


if __name__ == "__main__":
    unittest.main()
