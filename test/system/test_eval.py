"""`eval`: good and bad problems side by side; none of them stops the suite, each has a status and a reason."""

import json
import tempfile
import time
import unittest
from pathlib import Path

import program

HEAD = "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n"
TAIL = "\n\ndef get_inputs():\n    return [torch.rand(4, 8)]\n"


def problem(*lines: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in lines) + TAIL


PROBLEMS = {
    "good.py": problem("return torch.relu(x)"),
    "sub/also_good.py": problem("return x.sum(-1)"),
    "syntax.py": problem("return (x"),
    "unsupported.py": problem("return torch.linalg.qr(x)[0]"),
    "hangs.py": problem("while True:", "    pass"),
    "hungry.py": problem("held = [bytearray(b'x' * (1 << 28)) for _ in range(4096)]", "return x + len(held)"),
    "exits.py": problem("import os", "os._exit(3)"),
    "notes.py": "VALUE = 3\n",
}
EXPECTED = {"good.py": "verified", "sub/also_good.py": "verified", "syntax.py": "error", "unsupported.py": "unsupported", "hangs.py": "timeout",
            "hungry.py": "error", "exits.py": "error", "notes.py": "error"}


class Eval(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.suite, self.out = Path(folder.name) / "suite", Path(folder.name) / "out"
        for name, text in PROBLEMS.items():
            (self.suite / name).parent.mkdir(parents=True, exist_ok=True)
            (self.suite / name).write_text(text)

    def eval(self, *words: str, code: int = 1) -> program.Finished:
        done = program.run("eval", "--suite", str(self.suite), "--out", str(self.out), *words)
        self.assertEqual(done.code, code, done.text())
        return done

    def test_every_problem_has_a_status_and_a_reason(self):
        report = json.loads(self.eval("--timeout", "10", "--memory", "2", "--jobs", "2", "--json").out)
        rows = {row["name"]: row for row in report["problems"]}
        self.assertEqual({name: row["status"] for name, row in rows.items()}, EXPECTED)
        for name, says in (("syntax.py", "syntax error"), ("unsupported.py", "linalg_qr"), ("hangs.py", "time limit"), ("hungry.py", "memory"),
                           ("exits.py", "exit code 3"), ("notes.py", "defines no class Model")):
            self.assertIn(says, rows[name]["reason"], name)
        self.assertEqual(report["counts"], {"verified": 2, "unsupported": 1, "timeout": 1, "error": 4})
        self.assertIn("unsupported: aten.linalg_qr.default: this operator is not supported", report["reasons"])
        self.assertEqual(sum(report["reasons"].values()), 6)
        good = rows["good.py"]
        self.assertEqual(good["sizes"]["given"], good["sizes"]["verified"])
        self.assertFalse(good["sizes"]["scaled"])
        self.assertEqual((good["kernels"], good["route"]), (1, "direct"))
        self.assertLessEqual({"graph", "synth", "verify total"}, set(good["times"]))
        self.assertTrue((self.out / "sub" / "also_good.py").exists() and not (self.out / "unsupported.py").exists())
        self.assertEqual(json.loads((self.out / "results.json").read_text()), report)

    def test_a_problem_has_a_limit_as_a_whole(self):
        begin = time.monotonic()
        report = json.loads(self.eval("--filter", "hangs", "--limit", "8", "--timeout", "500", "--json").out)
        self.assertLess(time.monotonic() - begin, 120)
        self.assertEqual(report["problems"][0]["status"], "timeout")
        self.assertIn("not finished within 8 s (--limit)", report["problems"][0]["reason"])

    def test_table_ends_with_counts_by_reason(self):
        done = self.eval("--filter", "notes,syntax,good.py", "--jobs", "1", "--no-verify")
        self.assertRegex(done.out, r"2 error, 2 generated of 4 problems")
        self.assertIn("     1  error: ", done.out)

    def test_resume_does_what_is_left(self):
        self.eval("--filter", "good.py", "--no-verify", code=0)
        results = self.out / "results.jsonl"
        results.write_text(results.read_text() + '{"name": "syntax.py", "sta')  # what a crash leaves behind
        rows = {r["name"]: r for r in json.loads(self.eval("--filter", "good.py,syntax", "--no-verify", "--resume", "--json").out)["problems"]}
        first = {r["name"]: r for r in map(json.loads, results.read_text().splitlines())}
        self.assertEqual(set(rows), {"good.py", "sub/also_good.py", "syntax.py"})
        self.assertEqual(rows["good.py"]["seconds"], first["good.py"]["seconds"])
        self.assertEqual(rows["syntax.py"]["status"], "error")
        again = json.loads(self.eval("--filter", "suite,/also_good", "--resume", "--json", code=0).out)["problems"]
        self.assertEqual([r["status"] for r in again], ["verified"])  # it was only generated before

    def test_bench_on_request(self):
        report = json.loads(self.eval("--filter", "/also_good", "--bench", "--device", "cpu", "--json", code=0).out)
        measured = report["problems"][0]["bench"]
        self.assertEqual(set(measured["median_ms"]), {"kernel", "eager"})
        kept = json.loads((self.out / "sub" / "also_good.py.bench.json").read_text())
        self.assertGreaterEqual(len(kept["timings"][0]["samples_ms"]), 5)

    def test_bad_values(self):
        (self.suite / "file").write_text("")
        for words, says in ((("--jobs", "0"), "--jobs"), (("--limit", "0"), "--limit"), (("--baseline", "eager"), "--bench"), (("--bench", "--no-verify"), "verified"),
                            (("--filter", "nothing_like_it"), "--suite"), (("more",), "unexpected"), (("--bench", "--device", "cpu", "--baseline", "x"), "unknown baseline")):
            done = self.eval(*words, code=2)
            self.assertIn(says, done.err)
            self.assertEqual(len(done.err.splitlines()), 1)
        done = program.run("eval", "--suite", str(self.suite), "--out", str(self.suite / "file"))
        self.assertEqual(done.code, 2, done.text())


if __name__ == "__main__":
    unittest.main()
