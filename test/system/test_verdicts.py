"""What a verdict promises: it is repeatable, it obeys its flags, and nothing outlives the program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

import program

SOFTMAX = ("test/problems/softmax_rows.py", "test/honest/softmax_one_pass.py")
FIXED_RELU = ("test/problems/relu.py", "test/honest/relu_fixed_size.py")
BATCHNORM = "test/problems/batchnorm_train.py"
MATMUL = "test/problems/matmul.py"

FIELDS = {
    "schema", "accepted", "rule", "reason", "detail", "problem", "kernel", "precision", "checks", "specialised",
    "specialised_reason", "buffers", "sandbox", "device", "seed", "reproduce", "versions", "times"}

HANGING = program.RELU_KERNEL.replace("def kernel_function(x):", "def kernel_function(x):\n    while True:\n        pass")
OTHER_ENTRY = program.RELU_KERNEL.replace("kernel_function", "my_relu")


def matmul_with_default_precision() -> str:
    text = (program.ROOT / "test/honest/matmul_tf32_allowed.py").read_text()
    assert text.count(', input_precision="tf32"') == 1
    return text.replace(', input_precision="tf32"', "")


def verify(problem: str, kernel: str, *flags: str) -> program.Finished:
    return program.run("verify", "--problem", problem, "--kernel", kernel, "--device", "cpu", *flags, "--json")


def without_times(text: str) -> bytes:
    """The exact bytes of the output but for the object `times`, whose numbers differ from run to run."""
    begin = text.index('  "times": {')
    return (text[:begin] + text[text.index("}", begin):]).encode()


class Verdicts(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = program.Folder()
        cls.addClassCleanup(folder.remove)
        cls.matmul = str(folder.write("it's a matmul.py", matmul_with_default_precision()))
        entry = str(folder.write("entry.py", OTHER_ENTRY))
        rows = {
            "softmax": SOFTMAX,
            "softmax_beside": SOFTMAX,
            "softmax_seed": (*SOFTMAX, "--seed", "7", "--require-general"),
            "fixed": FIXED_RELU,
            "fixed_general": (*FIXED_RELU, "--require-general"),
            "buffers": (BATCHNORM, "test/honest/batchnorm_updates_buffers.py", "--require-buffers"),
            "no_buffers": (BATCHNORM, "test/honest/batchnorm_batch_statistics.py"),
            "no_buffers_required": (BATCHNORM, "test/honest/batchnorm_batch_statistics.py", "--require-buffers"),
            "tf32": (MATMUL, cls.matmul, "--precision", "tf32"),
            "fp32": (MATMUL, cls.matmul, "--precision", "fp32", "--seed", "3"),
            "entry": (FIXED_RELU[0], entry, "--entry", "my_relu"),
            "no_entry": (FIXED_RELU[0], entry),
        }
        cls.finished = program.run_all({name: lambda r=row: verify(*r) for name, row in rows.items()})

    def accepted(self, name: str) -> dict:
        done = self.finished[name]
        self.assertEqual((done.code, done.err), (0, ""), done.text())
        self.assertEqual((done.json()["accepted"], done.json()["rule"]), (True, ""))
        return done.json()

    def refused(self, name: str, *rules: str) -> dict:
        done = self.finished[name]
        self.assertEqual((done.code, done.err), (1, ""), done.text())
        self.assertIs(done.json()["accepted"], False)
        self.assertIn(done.json()["rule"], rules)
        self.assertTrue(done.json()["reason"])
        return done.json()

    def test_fields(self) -> None:
        verdict = self.accepted("softmax")
        self.assertLessEqual(FIELDS, set(verdict))
        self.assertEqual((verdict["schema"], verdict["seed"]), (1, "0"))
        self.assertEqual((verdict["problem"]["path"], verdict["kernel"]["path"]), SOFTMAX)
        self.assertRegex(verdict["kernel"]["sha256"], r"\A[0-9a-f]{64}\Z")
        self.assertLessEqual({"draws", "repeats", "variants", "compile"}, {row["name"] for row in verdict["checks"]})
        self.assertGreaterEqual({row["name"]: row["count"] for row in verdict["checks"]}["draws"], 3)
        self.assertIn("total", verdict["times"])
        self.assertLessEqual({"output", "index", "got", "want", "error"}, set(self.finished["fp32"].json()["worst"]))

    def test_two_runs_at_once_give_the_same_bytes(self) -> None:
        self.accepted("softmax")
        self.assertEqual(without_times(self.finished["softmax"].out), without_times(self.finished["softmax_beside"].out))

    def test_another_seed_draws_other_numbers_and_decides_alike(self) -> None:
        first, other = self.accepted("softmax"), self.accepted("softmax_seed")
        self.assertEqual(other["seed"], "7")
        self.assertIn("--seed 7", other["reproduce"])
        self.assertNotEqual(first["precision"]["max_abs_error"], other["precision"]["max_abs_error"])

    def test_kernel_for_one_size(self) -> None:
        verdict = self.accepted("fixed")
        self.assertTrue(verdict["specialised"])
        self.assertTrue(verdict["specialised_reason"])
        self.refused("fixed_general", "general.specialised")
        self.assertFalse(self.accepted("softmax_seed")["specialised"])

    def test_buffers(self) -> None:
        self.assertTrue(self.accepted("buffers")["buffers"]["reproduced"])
        verdict = self.accepted("no_buffers")
        self.assertFalse(verdict["buffers"]["reproduced"])
        self.assertIn("bn.running_mean", verdict["buffers"]["updated"])
        self.refused("no_buffers_required", "general.buffers")

    def test_precision_is_the_callers_choice(self) -> None:
        self.assertEqual(self.accepted("tf32")["precision"]["tier"], "tf32")
        verdict = self.refused("fp32", "result.precision", "result.mismatch")
        self.assertEqual(verdict["precision"]["tier"], "fp32")
        self.assertGreater(verdict["precision"]["multiple_seen"], verdict["precision"]["multiple_allowed"])

    def test_entry(self) -> None:
        self.assertEqual(self.accepted("entry")["kernel"]["entry"], "my_relu")
        self.refused("no_entry", "contract.entry")

    def test_reproduce_gives_the_same_verdict(self) -> None:
        first = self.refused("fp32", "result.precision", "result.mismatch")
        folder = str(Path(program.PROGRAM).parent)
        again = subprocess.run(
            ["sh", "-c", first["reproduce"] + " --json"], cwd=program.ROOT, capture_output=True, text=True,
            env=program.environment({"PATH": folder + ":" + os.environ.get("PATH", "")}), timeout=program.LIMIT_S)
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertEqual(without_times(again.stdout), without_times(self.finished["fp32"].out))
        self.assertEqual(json.loads(again.stdout)["worst"], first["worst"])


NOBODY = 65534


@unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
class OrdinaryUser(unittest.TestCase):
    """Without the right to make cgroups the sandbox is weaker, the verdicts are the same."""

    def setUp(self) -> None:
        folder = program.Folder()
        self.addCleanup(folder.remove)
        os.chmod(folder.path, 0o777)
        self.home = str(folder.path)
        reachable = subprocess.run(["test", "-x", program.PROGRAM, "-a", "-x", sys.executable, "-a", "-r", program.ROOT / FIXED_RELU[0]],
                                   user=NOBODY, group=NOBODY, extra_groups=[])
        if reachable.returncode != 0:
            self.skipTest("this clone lies in a folder that other users may not enter")

    def run_as_nobody(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=program.ROOT, env=program.environment({"HOME": self.home, "TMPDIR": self.home}), user=NOBODY, group=NOBODY,
                              extra_groups=[], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=program.LIMIT_S)

    def test_verdicts(self) -> None:
        for problem, kernel, rule in ((*SOFTMAX, ""), (FIXED_RELU[0], "test/hostile/partial_or_lucky/nan_swallowed_by_maximum.py", "result.special")):
            done = self.run_as_nobody(program.PROGRAM, "verify", "--problem", problem, "--kernel", kernel, "--device", "cpu", "--json")
            verdict = json.loads(done.stdout)
            self.assertEqual((done.returncode, verdict["rule"]), (1 if rule else 0, rule), done.stderr)
            self.assertNotEqual(verdict["sandbox"]["level"], "full")

    def test_threads_and_processes_are_seen(self) -> None:
        done = self.run_as_nobody(Path(program.PROGRAM).parent.parent / "verify/candidate_test", "--gtest_brief=1")
        self.assertEqual(done.returncode, 0, done.stdout)


class Interruption(unittest.TestCase):
    """In the middle of a kernel that never returns."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = program.Folder()
        cls.addClassCleanup(folder.remove)
        cls.kernel = str(folder.write("hanging.py", HANGING))

    def interrupt(self, number: int) -> program.Finished:
        process = program.start("verify", "--problem", FIXED_RELU[0], "--kernel", self.kernel, "--device", "cpu")
        self.addCleanup(process.kill)
        self.assertTrue(program.wait_until(lambda: self.hangs(process.pid), 60), "the kernel was never reached")
        below = program.descendants(process.pid)
        self.assertGreaterEqual(len(below), 2)
        done = program.finish(process, number, 10)
        self.assertLess(done.seconds, 2, done.text())
        self.assertTrue(program.wait_until(lambda: not program.alive(below), 2), program.alive(below))
        return done

    def hangs(self, pid: int) -> bool:
        """Whether a process below the interpreter has been computing for some time: only the kernel does."""
        return any(program.cpu_seconds(below) >= 0.7 for child in program.descendants(pid)
                   for below in program.descendants(child))

    def test_ctrl_c(self) -> None:
        done = self.interrupt(signal.SIGINT)
        self.assertEqual(done.code, 130, done.text())
        self.assertEqual(done.out, "")
        self.assertEqual(len(done.err.splitlines()), 1, done.text())

    def test_kill_leaves_nothing_behind(self) -> None:
        self.assertEqual(self.interrupt(signal.SIGKILL).code, -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
