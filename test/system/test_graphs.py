"""The form graphs as a user meets it: files whose launches are captured and replayed, which are judged here by launches one by one."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

import program

NETWORK = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(3, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        self.head = nn.Linear(channels, 10)

    def forward(self, x):
        x = torch.relu(self.norm(self.first(x)))
        return self.head(torch.relu(x + self.second(x)).mean((2, 3)))


def get_inputs():
    return [torch.randn(2, 3, 8, 8)]


def get_init_inputs():
    return [8]
"""
DRAWS = "import torch\n\ndef forward(x):\n    y = torch.relu(x).sum(dim=0)\n    return torch.nn.functional.dropout(torch.softmax(y, dim=0), 0.5) + torch.cumsum(y, 0)\n\ndef forward_inputs():\n    return [torch.randn(64, 32)]\n"
NOT_JUDGED = {"name": "graphs", "count": 0, "note": "not judged here: without a GPU nothing is captured, and launches were made one by one"}


class Graphs(unittest.TestCase):
    def setUp(self) -> None:
        folder = program.Folder()
        self.addCleanup(folder.remove)
        self.folder = folder.path
        self.problem = self.folder / "network.py"
        self.problem.write_text(NETWORK)

    def write(self, name: str, *more: str) -> tuple[Path, str]:
        out = self.folder / name
        done = program.run("generate", "--problem", self.problem, "--device", "cpu", "--out", out, "--explain", *more)
        self.assertEqual(done.code, 0, done.text())
        return out / "kernel.py", done.out

    def judge(self, kernel: Path) -> dict:
        done = program.run("verify", "--problem", self.problem, "--kernel", kernel, "--device", "cpu", "--json")
        return done.json()

    def test_a_network_written_as_a_whole(self) -> None:
        kernel, said = self.write("whole", "--forms", "graphs", "--no-verify")
        self.assertRegex(said, r"decided: launches are captured as a CUDA graph and replayed: .* launches by Python, .* for 2 copies")
        text = kernel.read_text()
        self.assertIn((program.ROOT / "python/bridge/captured.py").read_text().partition("class Captured:")[2], text)
        verdict = self.judge(kernel)
        self.assertTrue(verdict["accepted"], verdict)
        self.assertIn(NOT_JUDGED, verdict["checks"])
        plain, said = self.write("plain", "--forms", "none", "--no-verify")
        self.assertNotIn("captured", said)
        body = lambda source, name: source.partition(f"def {name}(")[2].partition("\n\n\n")[0].strip()
        self.assertEqual(body(text, "run_kernels"), body(plain.read_text(), "kernel_function"))

    def test_with_a_test_script(self) -> None:
        self.problem.write_text("import torch\n\ndef relu(x):\n    return torch.relu(x)\n\ndef relu_inputs():\n    return [torch.randn(100)]\n")
        script = self.folder / "test_relu.py"
        script.write_text("import torch\nfrom kernel import kernel_function\n\nx = torch.randn(100, device=\"cuda\")\nfor _ in range(3):\n    assert torch.equal(kernel_function(x), torch.relu(x))\nprint(\"PASS\")\n")
        done = program.run("verify", "--problem", f"{self.problem}:relu", "--kernel", program.ROOT / "test/honest/graph_of_launches.py", "--device", "cpu", "--test", script, "--json")
        self.assertEqual(done.code, 0, done.text())

    def test_one_changed_token_is_refused(self) -> None:
        kernel, _ = self.write("whole", "--forms", "graphs", "--no-verify")
        changed = self.folder / "changed.py"
        changed.write_text(kernel.read_text().replace("return self.copied(results)", "return results"))
        verdict = self.judge(changed)
        self.assertEqual((verdict["accepted"], verdict["rule"]), (False, "policy.class"))
        self.assertIn("class Captured in other words than those that the judge knows", verdict["detail"])

    def test_the_class_of_kernelbench(self) -> None:
        kernel, _ = self.write("class", "--forms", "graphs", "--no-verify", "--emit", "kernelbench")
        self.assertIn("        return captured_launches(", kernel.read_text())
        self.assertTrue(self.judge(kernel)["accepted"])

    def test_a_program_that_draws_is_not_captured(self) -> None:
        self.problem.write_text(DRAWS)
        out = self.folder / "draws"
        done = program.run("generate", "--problem", f"{self.problem}:forward", "--device", "cpu", "--out", out, "--explain", "--forms", "graphs", "--no-verify")
        self.assertEqual(done.code, 0, done.text())
        self.assertIn("decided: launches are made one by one: the program draws random numbers, and a graph would hold those of its capture", done.out)
        self.assertNotIn("Captured", (out / "kernel.py").read_text())

    def test_a_composed_program(self) -> None:
        out = self.folder / "composed"
        done = program.run("auto", "--problem", self.problem, "--route", "fuse", "--forms", "graphs", "--device", "cpu", "--out", out)
        self.assertEqual(done.code, 0, done.text())
        kernel = out / "compose_out" / "composed_kernel.py"
        self.assertEqual(kernel.read_text().count("Captured("), 1)
        self.assertIn("graphs     0 (not judged here", done.out)
        test = subprocess.run([sys.executable, str(kernel)], env=program.environment({"TRITON_INTERPRET": "1"}), cwd="/", capture_output=True, text=True, timeout=program.LIMIT_S)
        self.assertEqual((test.returncode, test.stderr), (0, ""))
        self.assertIn("ALL_TESTS_PASSED", test.stdout)


if __name__ == "__main__":
    unittest.main()
