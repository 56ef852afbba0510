"""`profile` where there is no GPU: what the compiled code says, for which GPU, and one sentence where it cannot be had."""

import json
import tempfile
import textwrap
import unittest
from pathlib import Path

import program

PROBLEM, KERNEL = "examples/softmax_rows.py", "examples/kernels/softmax_rows.py"
RELU = "test/problems/relu.py"

# One kernel at two block sizes, one of them twice.
LAUNCH = "relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)"
LARGE = LAUNCH.replace("1024", "4096").removesuffix(")") + ", num_warps=8)"
TWO_SIZES = program.RELU_KERNEL.replace(LAUNCH, "\n    ".join([LAUNCH, LARGE, LARGE]))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.folder.chmod(0o755)  # the sandbox may be another user

    def written(self, text: str) -> str:
        path = self.folder / "kernel.py"
        path.write_text(textwrap.dedent(text))
        return str(path)


class StaticFacts(Case):
    def profile(self, *words: str, problem: str = PROBLEM, kernel: str = KERNEL, code: int = 0) -> program.Finished:
        done = program.run("profile", "--problem", problem, "--kernel", kernel, "--static", *words)
        self.assertEqual(done.code, code, done.text())
        return done

    def test_the_compiled_code_is_described(self):
        out = self.folder / "run"
        answer = self.profile("--json", "--out", str(out), "--gpu", "h200").json()
        profile, diagnosis = answer["profile"], answer["diagnosis"]
        self.assertEqual(profile, json.loads((out / "profile.json").read_text()))
        self.assertEqual(diagnosis, json.loads((out / "diagnosis.json").read_text()))
        first = diagnosis["bottlenecks"][0]  # 64 rows on 132 multiprocessors
        self.assertEqual((first["rule"], first["kernel"], diagnosis["decided_by"]), ("small_grid", "softmax_kernel", "rules"))
        self.assertAlmostEqual(first["root_causes"][0]["evidence"][0]["value"], 64 / (132 * 16))
        self.assertEqual((profile["source"], profile["device"]), ("static", "NVIDIA H200 SXM"))
        self.assertIn("no hardware counters", profile["limits"])
        kernel, = profile["kernels"]
        self.assertEqual((kernel["name"], kernel["launches"], kernel["num_warps"], kernel["spills"]), ("softmax_kernel", 1, 4, 0))
        self.assertGreater(kernel["registers"], 8)
        self.assertEqual(kernel["grid"], [64, 1, 1])
        self.assertGreater(kernel["occupancy_pct"], 0)
        mix = kernel["instructions"]
        self.assertTrue(any(kind.startswith("global_load") for kind in mix) and mix["special"] and mix["fp32"], mix)
        self.assertEqual(mix["total"], sum(count for kind, count in mix.items() if kind != "total"))

    def test_every_compiled_kernel_once_with_its_launches(self):
        answer = self.profile("--json", problem=RELU, kernel=self.written(TWO_SIZES)).json()
        rows = [(k["name"], k["launches"], k["num_warps"]) for k in answer["profile"]["kernels"]]
        self.assertEqual(rows, [("relu_kernel", 1, 4), ("relu_kernel", 2, 8)])

    def test_the_table_is_narrow_and_for_the_gpu_that_was_asked_for(self):
        text = self.profile("--gpu", "a100").out
        self.assertTrue(text.startswith("NVIDIA A100"), text)
        self.assertIn("softmax_kernel", text)
        self.assertIn("diagnosis:\n  1. small_grid", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_what_cannot_be_profiled_is_one_sentence(self):
        kernel = program.RELU_KERNEL
        cases = (
            ("import torch\ndef kernel_function(x): return x", "launches no Triton kernel"),
            ("raise ValueError('no')", "the kernel file raises ValueError: no (line 1)"),
            (kernel.replace("tl.where(x < 0, 0.0, x)", "nosuch(x)"), "nosuch is not defined"),
        )
        for text, says in cases:
            with self.subTest(says):
                done = self.profile(problem=RELU, kernel=self.written(text), code=2)
                self.assertIn(says, done.err)
                self.assertEqual((done.out, len(done.err.splitlines())), ("", 1), done.text())
        for words, says in ((("--gpu", "h2000"), "known are h200"), (("--gpu", "max1550"), "no NVIDIA GPU")):
            self.assertIn(says, self.profile(*words, code=2).err)


# Writes a table where --log-file says, as Nsight Compute does; the program that it should watch is not started.
FAKE_NCU = """#!/bin/sh
while [ $# -gt 0 ]; do
  [ "$1" = --log-file ] && table=$2
  shift
done
cat {table} > "$table"
exit {code}
"""


# Starts the program that it should watch, and writes nothing.
BLIND_NCU = """#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
shift 2
exec "$@"
"""


# Begins its table and then tells on the terminal why there is none.
LOST_NCU = """#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
echo "==PROF== Connected to process 7" > "$2"
echo "ncu: /opt/nvidia/nsight-compute/2025.2.1/target: No such file or directory" >&2
exit 127
"""


class Counters(Case):
    """A table that was made up, in the form that Nsight Compute writes: the way of the numbers is tested, not the numbers."""

    def counted(self, table: str, *words: str, code: int = 0, ncu_code: int = 0, script: str = FAKE_NCU) -> program.Finished:
        ncu = self.folder / "ncu"
        (self.folder / "table.txt").write_text(table)
        ncu.write_text(script.format(table=self.folder / "table.txt", code=ncu_code))
        ncu.chmod(0o755)
        done = program.run("profile", "--problem", RELU, "--kernel", self.written(program.RELU_KERNEL), *words, env={"KERNELAGENT_NCU": str(ncu)})
        self.assertEqual(done.code, code, done.text())
        return done

    def made_up(self, name: str) -> str:
        return (program.ROOT / "test/fuzz/seeds/ncu" / name).read_text()

    def test_counters_and_compiled_code_come_together(self):
        table = self.made_up("two_kernels.csv").replace("scale_rows_kernel", "relu_kernel")
        answer = self.counted(table, "--json").json()
        profile, rules = answer["profile"], [(b["rule"], b["kernel"]) for b in answer["diagnosis"]["bottlenecks"]]
        self.assertIn(("bank_conflicts", "matmul_kernel"), rules)
        self.assertIn(("memory_bound", "relu_kernel"), rules)
        self.assertNotIn(("memory_bound", "matmul_kernel"), rules)
        self.assertEqual((profile["source"], profile["limits"]), ("ncu", ""))
        relu, matmul = profile["kernels"]
        self.assertEqual((relu["name"], relu["launches"], relu["spills"]), ("relu_kernel", 2, 0))
        self.assertAlmostEqual(relu["time_ms"], (25856 + 26112) / 1e6)
        self.assertGreater(relu["instructions"]["total"], 0)
        self.assertEqual((matmul["name"], matmul["instructions"]), ("matmul_kernel", {}))
        roofline = answer["diagnosis"]["roofline"]  # every element of relu is read once and written once
        elements, seconds = 16 * 300, (relu["time_ms"] + matmul["time_ms"]) / 1e3
        self.assertAlmostEqual(roofline["memory_pct"], 100 * 8 * elements / 4.8e12 / seconds)
        self.assertEqual(roofline["warnings"], [])

    def test_without_permission_the_static_facts_remain(self):
        profile = self.counted(self.made_up("permission.txt"), "--json", ncu_code=1).json()["profile"]
        self.assertEqual(profile["source"], "static")
        self.assertIn("NVreg_RestrictProfilingToAdminUsers=0", profile["limits"])

    def test_the_watched_program_starts_and_its_failure_is_told(self):
        limits = self.counted("", "--json", script=BLIND_NCU).json()["profile"]["limits"]
        self.assertRegex(limits, "the profiled program failed: .*no CUDA device|there is no table")  # the latter where there is a GPU

    def test_what_the_tool_says_on_the_terminal_is_told_too(self):
        limits = self.counted("", "--json", script=LOST_NCU).json()["profile"]["limits"]
        self.assertIn("/opt/nvidia/nsight-compute/2025.2.1/target: No such file", limits)

    def test_a_tool_that_does_not_exist_is_the_users_mistake(self):
        done = program.run("profile", "--problem", PROBLEM, "--kernel", KERNEL, env={"KERNELAGENT_NCU": "/nonexistent/ncu"})
        self.assertEqual((done.code, done.out), (2, ""), done.text())
        self.assertIn("KERNELAGENT_NCU: /nonexistent/ncu is no program", done.err)


if __name__ == "__main__":
    unittest.main()
