"""Composed files as a user meets them: the judge accepts them, their own test passes, and it fails where they are wrong.

The texts are those that src/compose/compose_test.cc composes; linear_gelu and softmax are files of the built-in generator.
"""

from __future__ import annotations

import concurrent.futures
import subprocess
import sys
import unittest

import program

FOLDER = program.ROOT / "test" / "compose"
COMPOSED = {"gated_composed.py": "gated.py", "linear_gelu_softmax_composed.py": "linear_gelu_softmax_problem.py"}
WRONG = {
    "numbers": ("x * weight", "x * weight * 1.01", "FAIL: the result['shifted']: "),
    "structure": ("'low': low}", "'high': low}", "FAIL: the result is not a dictionary with the keys ['low', 'shifted']"),
    "type": ("high, low = torch.empty_like(x)", "high, low = torch.empty_like(x, dtype=torch.float64)", "FAIL: the result['shifted'] is torch.float64 (48, 100) instead of torch.float32 (48, 100)"),
    "integers": ('"low": low}\n', '"low": low.int()}\n', "FAIL: the result['low'] is torch.float32 (48, 100) instead of torch.int32 (48, 100)"),
    "one number": ("    return {'shifted'", "    low[3, 5] = float('nan')\n    return {'shifted'", "FAIL: the result['low']: 1 of 4800 elements differ by more than 0.001; at (3, 5) it is nan instead of "),
    "weights": ("x, *, gate, shift)", "x, *, gate, shifts)", "FAIL: gated.py has no weight shifts"),
}


def run_file(path: object, interpret: bool = True) -> subprocess.CompletedProcess[str]:
    env = {**program.environment({"TRITON_INTERPRET": "1" if interpret else "0"}), "CUDA_VISIBLE_DEVICES": "", "ZE_AFFINITY_MASK": ""}
    return subprocess.run([sys.executable, str(path)], env=env, cwd="/", capture_output=True, text=True, timeout=program.LIMIT_S)


class Composed(unittest.TestCase):
    def test_the_judge_accepts_them(self) -> None:
        commands = {name: (lambda n=name, p=problem: program.run("verify", "--problem", FOLDER / p, "--kernel", FOLDER / n, "--device", "cpu", "--json"))
                    for name, problem in COMPOSED.items()}
        for name, done in program.run_all(commands).items():
            with self.subTest(name):
                self.assertEqual(done.code, 0, done.text())
                self.assertTrue(done.json()["accepted"])

    def test_their_own_test_passes(self) -> None:
        for name, problem in COMPOSED.items():
            with self.subTest(name):
                done = run_file(FOLDER / name)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, f"PASS: kernel_function computes what {problem} computes, on cpu\nALL_TESTS_PASSED\n")

    def test_without_a_gpu_it_says_so(self) -> None:
        done = run_file(FOLDER / "gated_composed.py", interpret=False)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertIn("this machine has no GPU", done.stdout)

    def test_it_says_what_differs(self) -> None:
        folder = program.Folder()
        self.addCleanup(folder.remove)
        text = (FOLDER / "gated_composed.py").read_text()
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            started = {}
            for number, (name, (old, new, _)) in enumerate(WRONG.items()):
                self.assertIn(old, text)
                started[name] = pool.submit(run_file, folder.write(f"wrong_{number}.py", text.replace(old, new)))
        for name, future in started.items():
            with self.subTest(name):
                done = future.result()
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(WRONG[name][2], done.stdout)
                self.assertNotIn("PASS", done.stdout)


if __name__ == "__main__":
    unittest.main()
