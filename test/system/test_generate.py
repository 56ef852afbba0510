"""The built-in generator as a user meets it: kernels for whole folders, golden texts, refusals."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import program

ROOT = program.ROOT
GOLDEN = ROOT / "test" / "golden"
# One text per kind of kernel; KERNELAGENT_ACCEPT=1 writes them anew.
GOLDEN_PROBLEMS = tuple("""
    examples/attention examples/batch_norm examples/conv_relu examples/gelu_chain examples/layer_norm examples/linear_gelu examples/losses examples/row_argmax examples/small_network examples/softmax_rows
    test/problems/attention_causal test/problems/attention_half_gqa test/problems/attention_masks test/problems/avgpool2d test/problems/batchnorm_train test/problems/bmm test/problems/buckets
    test/problems/casts test/problems/column_sums test/problems/concat test/problems/conv_channels_last test/problems/conv_transpose2d test/problems/conv_transpose_channels_last test/problems/cross_entropy test/problems/cumsum_rows test/problems/drop_path
    test/problems/expert_router test/problems/gather_rows test/problems/groupnorm test/problems/gru_bidirectional test/problems/index_add test/problems/linear_split test/problems/long_row_reductions test/problems/lstm
    test/problems/matmul_deep_chunks test/problems/matmul_fp16 test/problems/matmul_long_depth test/problems/matvec_and_vecmat test/problems/maxpool2d test/problems/online_rows test/problems/packed_outputs test/problems/pixel_shuffle
    test/problems/qkv_projections test/problems/side_by_side
    test/problems/repeated_blocks test/problems/rmsnorm test/problems/rope test/problems/sliding_windows test/problems/sort_rows test/problems/swiglu test/problems/topk_rows test/problems/upsample_linear
""".split())
# Operators that have no kernel family yet; a problem that becomes possible must leave this list.
NOT_YET: dict[str, str] = {}

UNKNOWN = '''
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        return torch.linalg.inv(y)


def get_inputs():
    return [torch.eye(4) + torch.rand(4, 4)]
'''


# What no kernel can do is refused with the operator's name and a reason.
REFUSED = {
    "nn.functional.rrelu(x, training=True)": "aten.rrelu.default: a random slope for each negative element cannot be drawn beforehand",
    "nn.functional.fractional_max_pool2d(x, 2, output_size=3)": "aten.fractional_max_pool2d.default: this operator is not supported",
    "torch.fft.fft(x).abs()": "aten.fft_fft.default: complex64 is not supported",
    "x[x > 0]": "aten.index.Tensor: the shape of its result depends on values",
    "nn.functional.ctc_loss(x.log_softmax(2), torch.ones(8, 3, dtype=torch.long), (4,) * 8, (3,) * 8)": "aten._ctc_loss.default: the shape of its result depends on values",
    "x * float(x.sum())": "a number of Python (.item(), int(), float(), a condition) is taken from a tensor's values",
}


def run(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([program.PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=1200, **options)


class Generate(unittest.TestCase):
    def suite(self, folder: str, *more: str) -> dict:
        with tempfile.TemporaryDirectory() as out:
            answer = run("eval", "--suite", folder, "--out", out, "--json", *more)
            self.assertIn(answer.returncode, (0, 1), answer.stderr)
            return {row["name"]: row for row in json.loads(answer.stdout)["problems"]}

    def test_every_example_is_verified(self):
        rows = self.suite("examples", "--filter", "attention,batch_norm,conv_relu,gelu_chain,large_linear,layer_norm.py,linear_gelu,losses,mean_and,row_argmax,small_network,softmax_rows.py")
        self.assertGreaterEqual(len(rows), 12)
        for name, row in rows.items():
            if not name.startswith("kernels/"):
                self.assertEqual(row["status"], "verified", f"{name}: {row['reason']}")

    def test_every_problem_of_the_corpora_is_verified_or_named(self):
        for name, row in self.suite("test/problems").items():
            if name in NOT_YET:
                self.assertEqual(row["status"], "unsupported", name)
                self.assertIn(f"{NOT_YET[name]}: this operator is not supported", row["reason"])
            else:
                self.assertEqual(row["status"], "verified", f"{name}: {row['reason']}")

    def test_texts_are_stable(self):
        for folder in sorted({str(Path(name).parent) for name in GOLDEN_PROBLEMS}):
            names = [f"{Path(name).name}.py" for name in GOLDEN_PROBLEMS if str(Path(name).parent) == folder]
            with tempfile.TemporaryDirectory() as out:
                run("eval", "--suite", folder, "--filter", ",".join(names), "--out", out, "--no-verify", "--json")
                for name in names:
                    text, golden = (Path(out) / name).read_text(), GOLDEN / name
                    if os.environ.get("KERNELAGENT_ACCEPT"):
                        golden.write_text(text)
                    self.assertEqual(text, golden.read_text(), f"{golden} differs; KERNELAGENT_ACCEPT=1 accepts the new text")

    def test_equal_blocks_share_their_kernels(self):
        with tempfile.TemporaryDirectory() as out:
            answer = run("generate", "--problem", "test/problems/repeated_blocks.py", "--out", f"{out}/run", "--no-verify")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            text = (Path(out) / "run" / "kernel.py").read_text()
        for name, launches in {"conv2d_kernel": 3, "conv2d_kernel_2": 2, "batch_norm_add_relu_kernel": 3, "add_kernel": 1}.items():
            self.assertEqual(text.count(f"def {name}("), 1, name)
            self.assertEqual(text.count(f"    {name}["), launches, name)
        self.assertIn("height_2 = ((height_1 + 1) // 2)", text)  # what a pool leaves is a size of its own

    def test_what_does_not_wait_is_launched_side_by_side(self):
        with tempfile.TemporaryDirectory() as out:
            answer = run("generate", "--problem", "test/problems/side_by_side.py", "--out", f"{out}/run", "--no-verify", "--json")
            made = json.loads(answer.stdout)
            launches = [kernel["launch"] for kernel in made["kernels"]]
            self.assertEqual(launches[:9], [0, 1, 2] * 3)
            self.assertEqual(made["cost"]["launches"], len(set(launches)))
            self.assertIn("kernels 0, 3, 6 (linear_relu_kernel): side by side in one launch, 1 programs each for 132 multiprocessors", "".join(made["cost"]["decisions"]))
            # layers that wait for each other, and layers that fill the GPU alone
            for name, body, size in (("chain", "self.b(self.a(x))", 64), ("large", "self.a(x), self.b(x)", 8192)):
                problem = Path(out) / f"{name}.py"
                problem.write_text("import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                   f"        self.a, self.b = nn.Linear({size}, {size}, bias=False), nn.Linear({size}, {size}, bias=False)\n\n"
                                   f"    def forward(self, x):\n        return {body}\n\n\ndef get_inputs():\n    return [torch.rand({size}, {size})]\n")
                answer = run("generate", "--problem", str(problem), "--out", f"{out}/{name}", "--no-verify")
                self.assertEqual(answer.returncode, 0, answer.stderr)
                self.assertNotRegex((Path(out) / name / "kernel.py").read_text(), r"linear\w*_x2")

    def test_an_operator_that_is_not_known_is_named_with_its_line(self):
        with tempfile.TemporaryDirectory() as out:
            problem = Path(out) / "inverse.py"
            problem.write_text(UNKNOWN)
            answer = run("generate", "--problem", str(problem), "--out", f"{out}/run")
            self.assertEqual(answer.returncode, 1, answer.stdout)
            self.assertIn("inverse.py:9: aten.linalg_inv", answer.stderr)
            self.assertFalse((Path(out) / "run").exists(), "nothing is written for a program that cannot be generated")

    def test_what_no_kernel_can_do_is_refused_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, text in enumerate(REFUSED):
                (Path(folder) / f"refused_{number}.py").write_text(
                    "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n"
                    f"        return {text}\n\n\ndef get_inputs():\n    return [torch.rand(4, 8, 8)]\n")
            rows = self.suite(folder, "--no-verify")
        for number, (text, reason) in enumerate(REFUSED.items()):
            row = rows[f"refused_{number}.py"]
            self.assertIn(reason, row["reason"], text)
            self.assertIn(f"refused_{number}.py:7", row["reason"], text)
            self.assertEqual(row["status"], "unsupported", text)

    def test_a_suite_is_resumed(self):
        with tempfile.TemporaryDirectory() as out:
            first = run("eval", "--suite", "examples", "--filter", "gelu_chain", "--out", out, "--no-verify", "--json")
            row = json.loads(first.stdout)["problems"][0]
            again = run("eval", "--suite", "examples", "--filter", "gelu_chain,softmax_rows.py", "--out", out, "--no-verify", "--json", "--resume")
            rows = {r["name"]: r for r in json.loads(again.stdout)["problems"]}
            self.assertEqual(rows[row["name"]]["seconds"], row["seconds"])
            self.assertIn("softmax_rows.py", rows)

    def test_a_suite_without_problems_is_bad_usage(self):
        for folder in ("no/such/folder", "docs"):
            answer = run("eval", "--suite", folder)
            self.assertEqual(answer.returncode, 2)
            self.assertIn("--suite", answer.stderr)


if __name__ == "__main__":
    unittest.main()
