"""`generate` as a user meets it: the run directory, the route, the forms of the file, and what is said when it cannot be."""

import json
import re
import tempfile
import unittest
from pathlib import Path

import program

ROOT = program.ROOT
FILES = {"run.json", "lock", "journal.jsonl", "events.jsonl", "route.json", "graph.txt", "kernel.py", "refactored.py", "verdict.json", "summary.json"}

PARTS = '''
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        z = torch.linalg.inv(y)
        return torch.softmax(z, -1)


def get_inputs():
    return [torch.eye(4) + torch.rand(4, 4)]
'''
NETWORK = '''
import torch
import torch.nn as nn

width = 8


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n, n), nn.ReLU())

    def forward(self, x):
        return self.body(x) + x


class Model(nn.Module):
    def __init__(self, n):
        super(Model, self).__init__()
        self.blocks = nn.ModuleList([Block(n) for _ in range(2)])
        self.register_buffer("shift", torch.ones(width))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x + self.shift


def get_inputs():
    return [torch.rand(4, width)]


def get_init_inputs():
    return [width]
'''


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def problem(self, text: str, name: str = "p.py") -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def generate(self, *words: str, code: int = 0) -> program.Finished:
        done = program.run("generate", *words)
        self.assertEqual(done.code, code, done.text())
        return done


class RunDirectory(Case):
    def test_every_file_is_there_and_read_back(self):
        out = self.folder / "new" / "run"
        done = self.generate("--problem", "examples/softmax_rows.py", "--out", str(out), "--json")
        self.assertEqual({path.name for path in out.iterdir()}, FILES)
        answer = json.loads(done.out)
        self.assertTrue(answer["success"])
        self.assertEqual(answer["verdict"], json.loads((out / "verdict.json").read_text()))
        self.assertEqual(answer["route"], json.loads((out / "route.json").read_text()))
        self.assertEqual([k["family"] for k in answer["kernels"]], ["row"])
        self.assertIn("verify", answer["times"])
        summary = json.loads((out / "summary.json").read_text())
        self.assertEqual((summary["success"], summary["route"], summary["composition"]["verified"]), (True, "direct", True))
        steps = [json.loads(line)["step"] for line in (out / "journal.jsonl").read_text().splitlines()]
        self.assertEqual(steps, ["route", "partition", "synth", "verify", "summary"])
        stages = {json.loads(line)["stage"] for line in (out / "events.jsonl").read_text().splitlines()}
        self.assertLessEqual({"problem", "graph", "partition", "route", "synth", "verify"}, stages)

    def test_a_run_may_be_made_again_in_its_folder(self):
        out = self.folder / "run"
        for name in ("softmax_rows", "layer_norm"):
            self.generate("--problem", f"examples/{name}.py", "--out", str(out), "--no-verify")
            self.assertIn(f"Triton kernels for {name}.py", (out / "kernel.py").read_text())

    def test_progress_is_said_on_request_only(self):
        quiet = self.generate("--problem", "examples/softmax_rows.py", "--out", str(self.folder / "a"), "--no-verify")
        self.assertEqual(quiet.err, "")
        loud = self.generate("--problem", "examples/softmax_rows.py", "--out", str(self.folder / "b"), "--no-verify", "--verbose")
        self.assertIn("partition: 1 kernel", loud.err)

    def test_a_folder_that_cannot_be_used(self):
        (self.folder / "file").write_text("x")
        (self.folder / "full").mkdir()
        (self.folder / "full" / "notes.txt").write_text("mine")
        for name, says in (("file", "is no folder"), ("full", "holds notes.txt")):
            done = self.generate("--problem", "examples/softmax_rows.py", "--out", str(self.folder / name), code=2)
            self.assertEqual(len(done.err.splitlines()), 1)
            self.assertIn("--out: ", done.err)
            self.assertIn(says, done.err)
        self.assertEqual((self.folder / "full" / "notes.txt").read_text(), "mine")


class Route(Case):
    def test_one_kernel_is_direct_and_several_are_fused(self):
        for problem, word in (("examples/softmax_rows.py", "direct"), (self.problem(NETWORK), "fuse")):
            done = self.generate("--problem", problem, "--out", str(self.folder / word), "--no-verify", "--explain")
            self.assertIn(f"route: {word} (", done.out)
            self.assertIn("not fused", done.out + "not fused" * (word == "direct"))
        rules = {r["name"]: r for r in json.loads((self.folder / "fuse" / "route.json").read_text())["rules"]}
        self.assertTrue(rules["several_kernels"]["matched"])
        self.assertTrue(rules["control_flow"]["matched"])
        self.assertIn("line 24", rules["control_flow"]["reason"])


class Costs(Case):
    def test_numbers_and_sentences(self):
        out = self.folder / "run"
        done = self.generate("--problem", "test/problems/linear_relu_large.py", "--out", str(out), "--no-verify", "--json")
        answer = json.loads(done.out)
        for kernel in answer["kernels"]:
            self.assertGreater(kernel["cost"]["bytes_written"], 0)
            self.assertIn(kernel["cost"]["bound"], ("memory", "arithmetic", "launch"))
        cost = answer["cost"]
        self.assertEqual((cost["gpu"], cost["source"]), ("h200", "measured"))
        self.assertEqual(cost["launches"], sum(k["cost"]["launches"] for k in answer["kernels"]))
        self.assertAlmostEqual(cost["bytes"], sum(k["cost"]["bytes_read"] + k["cost"]["bytes_written"] for k in answer["kernels"]))
        self.assertLessEqual(cost["floor_bytes"], cost["bytes"])
        text = (out / "graph.txt").read_text()
        for line in ("cost on NVIDIA H200 SXM (measured):", "kernel 0: ", "total: ", "floor: ", *(f"decided: {d}" for d in cost["decisions"])):
            self.assertIn(line, text)

    def test_another_gpu_decides_otherwise(self):
        text = self.generate("--problem", "test/problems/linear_relu_large.py", "--gpu", "a100", "--out", str(self.folder / "run"), "--no-verify", "--explain").out
        self.assertIn("cost on NVIDIA A100 SXM 80 GB (data sheet):", text)
        done = self.generate("--problem", "examples/softmax_rows.py", "--gpu", "a1000", code=2)
        self.assertIn('--gpu: there are no facts about a GPU "a1000"; known are h200, h100', done.err)


class Forms(Case):
    def test_kernelbench_form_is_verified_as_model_new(self):
        problem, out = self.problem(NETWORK), self.folder / "run"
        done = self.generate("--problem", problem, "--emit", "kernelbench", "--out", str(out))
        self.assertIn("(ModelNew)", done.out)
        text = (out / "kernel.py").read_text()
        self.assertIn("class ModelNew(nn.Module):", text)
        self.assertIn("self.blocks[0].body[0].weight", text)
        self.assertNotIn("kernel_function", text)
        again = program.run("verify", "--problem", problem, "--kernel", str(out / "kernel.py"))
        self.assertEqual(again.code, 0, again.text())

    def test_kernelbench_form_of_dictionaries_tables_and_recurrent_layers(self):
        for name, word in (("rope_tables", 'self.get_parameter("parts.into.weight")'), ("lstm", ".weight_ih_l0")):
            out = self.folder / name
            done = self.generate("--problem", f"test/problems/{name}.py", "--emit", "kernelbench", "--out", str(out))
            self.assertIn("(ModelNew)", done.out)
            self.assertIn(word, (out / "kernel.py").read_text())

    def test_kernelbench_form_needs_a_class(self):
        done = self.generate("--problem", "examples/axpy.py:axpy", "--emit", "kernelbench", code=2)
        self.assertIn("axpy is no class", done.err)

    def test_values_are_checked(self):
        for flag, value in (("--platform", "rocm"), ("--emit", "text"), ("--precision", "fp8"), ("--mode", "run")):
            done = self.generate("--problem", "examples/softmax_rows.py", flag, value, code=2)
            self.assertIn(f'{flag}: unknown value "{value}"', done.err)

    def test_platform_names_the_device_where_nothing_else_does(self):
        constant = "import torch\ndef f(n):\n    return torch.full((4, 4), 2.0) + 1\ndef f_inputs():\n    return [3]\n"
        problem = self.problem(constant)
        for platform in ("cuda", "xpu"):
            self.generate("--problem", problem + ":f", "--platform", platform, "--out", str(self.folder / platform), "--no-verify")
            self.assertIn(f'device="{platform}"', (self.folder / platform / "kernel.py").read_text())


class Refactored(Case):
    def test_it_is_a_problem_of_its_own_that_the_kernels_solve(self):
        out = self.folder / "run"
        self.generate("--problem", self.problem(NETWORK), "--out", str(out), "--no-verify")
        text = (out / "refactored.py").read_text()
        functions = re.findall(r"^def (\w+_part\w*)\(", text, re.MULTILINE)
        self.assertEqual(len(functions), (out / "kernel.py").read_text().count("@triton.jit\n"), "one function per kernel")
        for function in functions:
            self.assertEqual(text.count(f"{function}("), 2, "each is called once")
        done = program.run("verify", "--problem", str(out / "refactored.py"), "--kernel", str(out / "kernel.py"))
        self.assertEqual(done.code, 0, done.text())

    def test_buffers_and_several_outputs(self):
        for name in ("batch_norm", "mean_and_variance"):
            out = self.folder / name
            self.generate("--problem", f"examples/{name}.py", "--out", str(out), "--no-verify")
            self.assertIn("def forward(", (out / "refactored.py").read_text())


class Unsupported(Case):
    def test_everything_missing_is_named_and_so_is_the_rest(self):
        done = self.generate("--problem", self.problem(PARTS), "--out", str(self.folder / "run"), code=1)
        self.assertIn("p.py:9: aten.linalg_inv.default: this operator is not supported", done.err)
        self.assertIn("kernels for the rest can be written: relu_kernel (", done.err)
        self.assertIn("softmax_kernel (", done.err)
        self.assertFalse((self.folder / "run").exists(), "nothing is written for a program that cannot be generated")


if __name__ == "__main__":
    unittest.main()
