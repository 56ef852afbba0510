"""`explain` as a user meets it: real runs, a pipeline, a refused kernel, and folders that nobody should trust."""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from pathlib import Path

import program
import run_folders


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)
        cls.run_folder = run_folders.real_run(cls.root, "examples/batch_norm.py")

    def explain(self, *words: str | Path, code: int = 0) -> program.Finished:
        done = program.run("explain", *words, "--root", self.root)
        self.assertEqual(done.code, code, done.text())
        if code:
            self.assertEqual((done.out, len(done.err.splitlines())), ("", 1), done.text())
        return done


class Explain(Case):
    def test_a_real_run(self) -> None:
        text = self.explain("run_real").out
        for word in ("run_real  verified", "route     fuse, decided by rules", "several_kernels: ", "did not match: one_kernel", "cuts      2 kernels from",
                     "kernel 0 (batch_norm_kernel), row: reduce", "bound by launch", "verdict\n  kernel.py: accepted", "kernelagent verify --problem", "\ntime\n", " %  ##"):
            self.assertIn(word, text)
        long = [line for line in text.splitlines() if len(line) > 100 and "kernelagent verify" not in line]
        self.assertEqual(long, [])
        answer = json.loads(self.explain("run_real", "--json").out)
        self.assertEqual(answer["route"]["decided"], "several_kernels")
        self.assertEqual([piece["kind"] for piece in answer["cuts"]["pieces"]], ["row", "pointwise"])
        shares = [row["share"] for row in answer["times"]["stages"]]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertAlmostEqual(sum(shares), 1, delta=0.05)

    def test_refusals_to_fuse_are_grouped(self) -> None:
        run_folders.real_run(self.root, "test/problems/linear_relu_large.py", "--no-verify", name="run_linear")
        text = self.explain("run_linear").out
        self.assertIn("\nnot fused\n", text)
        self.assertIn("nobody has judged the result", text)
        self.assertIn("\ndecided by cost\n", text)

    def test_a_pipeline(self) -> None:
        run_folders.pipeline_run(self.root, self.run_folder)
        text = self.explain("run_pipeline").out
        for word in ("cuts      4 parts", "sg_0, linear_relu: linear, relu, reduce", "reads sg_0, sg_2", "3 of 4 parts accepted", "sg_3: refused by the rule result.close",
                     "3 of 48 elements are wrong", "compose_out/composed_kernel.py: accepted", "slowest parts\n  sg_3"):
            self.assertIn(word, text)
        self.assertEqual(json.loads(self.explain("run_pipeline", "--json").out)["parts"], {"judged": 4, "accepted": 3})

    def test_bad_usage(self) -> None:
        for words, says in (((), "which run?"), (("a", "b"), 'unexpected argument "b"'), (("nothing",), 'there is no run "nothing"'), (("/",), "is not a run directory")):
            self.assertIn(says, self.explain(*words, code=2).err)

    def test_damaged_folders(self) -> None:
        path = run_folders.copy_of(self.run_folder, "run_bad")
        (path / "route.json").write_text('{"schema": 1, "rules": 7')
        (path / "verdict.json").write_text("[]")
        (path / "subgraphs.json").write_text('{"a": 1}')
        (path / "graph.txt").unlink()
        (path / "graph.txt").symlink_to("/etc/passwd")
        with open(path / "events.jsonl", "r+b") as file:
            file.truncate(1 << 40)
        text = self.explain("run_bad").out
        for name in ("route.json", "verdict.json", "subgraphs.json", "graph.txt", "events.jsonl"):
            self.assertRegex(text, f"not shown: [^\n]*{name}")
        self.assertNotIn("root:", text)
        for name in os.listdir(path):
            if name != "run.json":
                os.unlink(path / name)
        (path / "run.json").write_text("{")
        self.assertIn("nothing of it can be shown", self.explain("run_bad", code=2).err)


if __name__ == "__main__":
    unittest.main()
