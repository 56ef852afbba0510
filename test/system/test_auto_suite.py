"""Folders of problems through the pipeline: by the route that `auto` takes, every program is verified as a whole, and no route had to be left."""

import json
import os
import tempfile
import unittest

import program

ALL = "KERNELAGENT_ALL_PROBLEMS"
# One by one their parts have shown what the whole program hides: near ties, tables in order, subnormal numbers, names that are keywords, tables of nothing but sizes.
SOME = ("attention_masks", "creations", "expert_router", "grid_sample.py", "integers", "quantiles", "rounding", "special_functions")
EXAMPLES = ("conv_relu", "small_network")


class AutoSuite(unittest.TestCase):
    def rows(self, suite: str, *names: str) -> list[dict]:
        with tempfile.TemporaryDirectory() as out:
            words = ("--filter", ",".join(names)) if names else ()
            done = program.run("eval", "--suite", program.ROOT / suite, "--route", "auto", "--out", out, "--json", *words)
            self.assertIn(done.code, (0, 1), done.text())
            return json.loads(done.out)["problems"]

    def check(self, rows: list[dict]) -> None:
        for row in rows:
            with self.subTest(row["name"]):
                self.assertEqual(row["status"], "verified", row["reason"])
                self.assertNotIn("fallback", row)
                self.assertGreaterEqual(row["launches"], 1)
                if row["route"] == "fuse":
                    self.assertGreaterEqual(row["parts"], row["unique_parts"])

    def test_some_problems(self) -> None:
        rows = self.rows("test/problems", *SOME)
        self.assertEqual(len(rows), len(SOME))
        self.assertGreaterEqual(sum(row["route"] == "fuse" for row in rows), 6)
        self.check(rows)

    def test_examples(self) -> None:
        rows = [row for row in self.rows("examples", *EXAMPLES) if not row["name"].startswith("kernels/")]
        self.assertEqual(len(rows), len(EXAMPLES))
        self.check(rows)

    @unittest.skipUnless(os.environ.get(ALL), f"all problems and their parts take ten minutes: {ALL}=1 runs them")
    def test_all_problems(self) -> None:
        rows = self.rows("test/problems")
        self.assertGreaterEqual(len(rows), 190)
        self.check(rows)


if __name__ == "__main__":
    unittest.main()
