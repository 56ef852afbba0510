"""The success rule where a test script exists: it must print PASS or the sentinel and exit with 0, besides the judge's verdict."""

from __future__ import annotations

import functools
import json
import unittest

import program

PROBLEM = "test/problems/relu.py"
HEAD = "import os\nimport sys\nimport torch\nfrom kernel import kernel_function\n"
CHECK = """
x = torch.randn(300, device="cuda" if torch.cuda.is_available() else "cpu")
good = torch.allclose(kernel_function(x), torch.relu(x))
torch.testing.assert_close(kernel_function(x), torch.relu(x))
"""

# Name: (the script, whether it passes, what the refusal says).
SCRIPTS = {
    "usual": (HEAD + CHECK + "if good:\n    print('PASS')\n    sys.exit(0)\nprint('FAIL')\nsys.exit(1)\n", True, ""),
    "in_main": (HEAD + "def test_kernel():\n    x = torch.randn(64).cuda()\n    assert (kernel_function(x) == x.relu()).all()\n"
                "    return True\nif __name__ == '__main__':\n    ok = test_kernel()\n"
                "    print('✅ PASS: max error 0' if ok else 'FAIL')\n    sys.exit(0 if ok else 1)\n", True, ""),
    "sentinel": (HEAD + "print(os.environ['KERNELAGENT_SENTINEL'])\n", True, ""),
    "by_path": ("import importlib.util, os\nspec = importlib.util.spec_from_file_location('k', os.environ['KERNELAGENT_KERNEL'])\n"
                "k = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(k)\nk.kernel_function\nprint('PASS')\n", True, ""),
    "with_problem": ("import torch\nfrom problem import Model, get_inputs\nprint('[PASS]')\n", True, ""),
    "exits_hard": (HEAD + "print('PASS', flush=True)\nos._exit(0)\n", True, ""),
    "failing": (HEAD + "print('FAIL: off by 3')\nsys.exit(1)\n", False, "exited with 1; it printed:\n    FAIL: off by 3"),
    "asserting": (HEAD + CHECK + "assert not good, 'no luck'\nprint('PASS')\n", False, "AssertionError: no luck"),
    "hanging": (HEAD + "print('PASS', flush=True)\nwhile True:\n    pass\n", False, "killed at the time limit"),
    "silent": (HEAD + CHECK + "sys.exit(0)\n", False, "printed neither PASS nor the sentinel"),
    "pass_but_exit_1": (HEAD + "print('PASS')\nsys.exit(1)\n", False, "exited with 1"),
    "did_not_pass": ("print('did not PASS')\nprint('PASSWORD')\n", False, "printed neither PASS"),
    "on_stderr": ("import sys\nprint('PASS', file=sys.stderr)\n", False, "printed neither PASS"),
    "crashing": ("import ctypes\nprint('PASS', flush=True)\nctypes.string_at(0)\n", False, "killed by signal 11"),
    "syntax": ("print('PASS'\n", False, "SyntaxError"),
    "network": ("import socket\nprint('PASS', flush=True)\nsocket.create_connection(('192.0.2.1', 80), 2)\n", False, "exited with 1"),
}
PRINTING_KERNEL = program.RELU_KERNEL.replace("def kernel_function(x):", "print('PASS')\n\n\ndef kernel_function(x):\n    print('PASS')")


class TestScript(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = program.Folder()
        cls.addClassCleanup(folder.remove)
        kernel = str(folder.write("relu.py", program.RELU_KERNEL))
        printing = str(folder.write("printing.py", PRINTING_KERNEL))
        wrong = str(folder.write("wrong.py", program.RELU_KERNEL.replace("x < 0", "x < 1")))
        rows = {}
        for name, (text, _, _) in SCRIPTS.items():
            script = str(folder.write(f"{name}_test.py", text))
            limit = "3" if name == "hanging" else "60"
            rows[name] = (kernel, script, "--timeout", limit)
        silent = str(folder.write("silent.py", SCRIPTS["silent"][0]))
        rows["kernel_prints"] = (printing, silent)
        rows["kernel_prints_honest_test"] = (printing, str(folder.write("usual.py", SCRIPTS["usual"][0])))
        rows["wrong_kernel"] = (wrong, str(folder.write("always.py", "print('PASS')\n")))
        cls.out = folder.path / "out"
        rows["kept"] = (kernel, str(folder.write("kept.py", SCRIPTS["usual"][0])), "--out", str(cls.out))
        cls.done = program.run_all({
            name: functools.partial(program.run, "verify", "--problem", PROBLEM, "--kernel", kernel, "--test", script,
                                    "--device", "cpu", "--no-compile", "--json", *flags)
            for name, (kernel, script, *flags) in rows.items()})

    def verdict(self, name: str) -> dict:
        self.assertIn(self.done[name].code, (0, 1), self.done[name].text())
        return self.done[name].json()

    def test_each_script_ends_as_it_should(self) -> None:
        for name, (_, passes, said) in SCRIPTS.items():
            with self.subTest(name):
                verdict = self.verdict(name)
                self.assertEqual(verdict["rule"], "" if passes else "test.failed", verdict["detail"])
                self.assertIn(said.replace("\n    ", "\n"), verdict["detail"])

    def test_an_accepted_kernel_names_the_test(self) -> None:
        verdict = self.verdict("usual")
        self.assertEqual([row["count"] for row in verdict["checks"] if row["name"] == "test"], [1])
        self.assertIn("--test ", verdict["reproduce"])

    def test_what_the_kernel_prints_does_not_count(self) -> None:
        self.assertEqual(self.verdict("kernel_prints")["rule"], "test.failed")
        self.assertTrue(self.verdict("kernel_prints_honest_test")["accepted"])

    def test_a_test_does_not_save_a_wrong_kernel(self) -> None:
        self.assertEqual(self.verdict("wrong_kernel")["rule"], "result.mismatch")

    def test_out_keeps_the_verdict_and_the_events(self) -> None:
        verdict = self.verdict("kept")
        self.assertEqual(json.loads((self.out / "verdict.json").read_text()), verdict)
        events = [json.loads(line) for line in (self.out / "events.jsonl").read_text().splitlines()]
        self.assertEqual({event["stage"] for event in events}, {"verify"})
        self.assertEqual(events[-1]["event"], "accepted")
        self.assertEqual([event["event"] for event in events[:-1]], [row["name"] for row in verdict["checks"]])
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["events.jsonl", "verdict.json"])

    def test_out_forgets_the_verdict_of_an_earlier_run(self) -> None:
        folder = program.Folder()
        self.addCleanup(folder.remove)
        folder.write("verdict.json", "{}")
        done = program.run("verify", "--problem", "no_such_problem.py", "--kernel", PROBLEM, "--out", str(folder.path))
        self.assertEqual(done.code, 2, done.text())
        self.assertFalse((folder.path / "verdict.json").exists())
        last = json.loads((folder.path / "events.jsonl").read_text().splitlines()[-1])
        self.assertEqual(last["event"], "not_judged")
        self.assertIn("no_such_problem.py", last["message"])

    def test_a_missing_script_is_bad_usage(self) -> None:
        done = program.run("verify", "--problem", PROBLEM, "--kernel", PROBLEM, "--test", "no_such_file.py")
        self.assertEqual(done.code, 2, done.text())
        self.assertIn("no_such_file.py", done.err)


if __name__ == "__main__":
    unittest.main()
