"""Rows that several programs keep in their registers (--forms shared_rows): the judge accepts them, and the launch fits an sm_90."""

import concurrent.futures
import os
import tempfile
import unittest
from pathlib import Path

import compiled
import program

RESIDENT = 264  # programs of 8 warps with 128 registers a thread that an H200 holds

PROBLEM = """
import torch
import torch.nn as nn
import torch.nn.functional as F
N, C = {sizes}

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, {arguments}):
        {forward}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""

# One row is -inf all over, others from some column on: parts of them are, too.
HIDDEN = "a = a.masked_fill(torch.arange(C) >= b[:, None], float('-inf')); return "
SEEN = "torch.randn(N, C), torch.tensor([0, 5000, C, 1, C - 1])"
# name -> (sizes, constructor, forward, inputs)
CASES = {
    "softmax": ("5, 20009", "pass", f"{HIDDEN} F.softmax(a, 1).nan_to_num(2.0)", SEEN),
    "sum_of_exponentials": ("5, 20009", "pass", f"{HIDDEN} torch.logsumexp(a, 1), F.log_softmax(a.nan_to_num(), 1)", SEEN),
    "layer_norm": ("6, 17000", "self.f = nn.LayerNorm(C)", "return self.f(a + 100)", "torch.randn(N, C)"),
    "several_rows_for_a_group": ("40, 17000", "self.f = nn.RMSNorm(C)", "return self.f(a)", "torch.randn(N, C)"),
    "two_meetings": ("4, 17001", "pass", "b = a / a.abs().sum(1, keepdim=True); return b - (b * a).amax(1, keepdim=True), b.amin(1)", "torch.randn(N, C)"),
    "one_row": ("1, 30000", "pass", "return F.softmax(a.flatten(), 0), a.norm()", "torch.randn(N, C)"),
    "half": ("4, 20000", "self.f = nn.LayerNorm(C).bfloat16()", "return F.softmax(a, 1), self.f(a)", "torch.randn(N, C).bfloat16()"),
    "planes": ("3, 150", "self.f = nn.GroupNorm(2, 4)", "return self.f(a)", "torch.randn(N, 4, C, 131)"),
}
# name -> (sizes, constructor, forward, inputs): KernelBench's lengths, and rows that end anywhere
COMPILED = {
    "softmax": ("4096, 393216", "pass", "return F.softmax(a, 1)", "torch.rand(N, C)"),
    "softmax_few": ("128, 262144", "pass", "return F.softmax(a, 1)", "torch.rand(N, C)"),
    "softmax_odd": ("129, 262143", "pass", "return F.softmax(a, 1)", "torch.rand(N, C)"),
    "layer_norm": ("4096, 393216", "self.f = nn.LayerNorm(C)", "return self.f(a)", "torch.rand(N, C)"),
    "layer_norm_half": ("4096, 393216", "self.f = nn.LayerNorm(C).bfloat16()", "return self.f(a)", "torch.rand(N, C).bfloat16()"),
    "rms_norm": ("16, 65536", "self.f = nn.RMSNorm(C)", "return self.f(a)", "torch.rand(N, C)"),
    "length": ("4096, 393216", "pass", "return a / a.norm(dim=1, keepdim=True)", "torch.rand(N, C)"),
    "cross_entropy": ("4096, 393216", "pass", "return F.cross_entropy(a, b)", "torch.rand(N, C), torch.randint(0, C, (N,))"),
}
SPILLS = {"softmax_odd": 8}  # bytes; triton 3.6 spills 4, 3.7 none
# What is written as without the form.
REFUSED = {
    "short rows": ("5, 16000", "pass", "return F.softmax(a, 1)", "torch.rand(N, C)"),
    "many rows that are not so long": ("16384, 65536", "pass", "return F.softmax(a, 1)", "torch.rand(N, C)"),
    "rows that nobody looks at again": ("128, 262144", "pass", "return a.sum(1)", "torch.rand(N, C)"),
    "places": ("128, 262144", "pass", "return a - a.argmax(1, keepdim=True)", "torch.rand(N, C)"),
    "float64": ("128, 262144", "pass", "return F.softmax(a, 1)", "torch.rand(N, C).double()"),
    "rows apart": ("262144, 128", "pass", "return F.softmax(a, 0)", "torch.rand(N, C)"),
    "longer than the GPU": ("2, 1 << 22", "pass", "return F.softmax(a, 1)", "torch.rand(N, C)"),
}


def text_of(case: tuple[str, str, str, str]) -> str:
    sizes, init, forward, inputs = case
    return PROBLEM.format(sizes=sizes, init=init, forward=forward, inputs=inputs, arguments=", ".join("ab"[: inputs.count("torch.rand") + inputs.count("torch.tensor")]))


def generated(folder: str, case: tuple[str, str, str, str], *more: str) -> tuple[Path, program.Finished]:
    path = Path(folder) / "problem.py"
    path.write_text(text_of(case))
    made = program.run("generate", "--problem", path, "--out", f"{folder}/run", *more)
    return Path(folder) / "run" / "kernel.py", made


class SharedRows(unittest.TestCase):
    def accepted(self, name: str) -> None:
        with tempfile.TemporaryDirectory() as out:
            kernel, made = generated(out, CASES[name], "--forms", "shared_rows", "--verify")
            self.assertEqual(made.code, 0, made.text())
            self.assertIn("ACCEPTED", made.text())
            self.assertIn("launch_cooperative_grid=True", kernel.read_text())

    def test_every_kind_is_accepted(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            waiting = {name: pool.submit(self.accepted, name) for name in CASES}
        for name, done in waiting.items():
            with self.subTest(name):
                done.result()

    def test_what_is_refused_is_written_as_before(self):
        for name, case in REFUSED.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as out:
                kernel, made = generated(out, case, "--forms", "shared_rows", "--no-verify")
                self.assertEqual(made.code, 0, made.text())
                with_form = kernel.read_text()
                kernel, _ = generated(out, case, "--no-verify")
                self.assertEqual(with_form, kernel.read_text())

    def test_programs_that_wait_are_not_launched_side_by_side(self):
        case = ("4, 20000", "pass", "return F.softmax(a, 1), F.softmax(b, 1)", "torch.rand(N, C), torch.rand(N, C)")
        with tempfile.TemporaryDirectory() as out:
            kernel, made = generated(out, case, "--forms", "shared_rows", "--no-verify")
            self.assertEqual(made.code, 0, made.text())
            self.assertEqual(kernel.read_text().count("launch_cooperative_grid=True"), 2)
            self.assertNotIn("_x2", kernel.read_text())

    def test_a_row_is_read_once_and_nothing_spills(self):
        found = compiled.launches({name: text_of(case) for name, case in COMPILED.items()}, "--forms", "shared_rows", option="launch_cooperative_grid")
        for name in COMPILED:
            with self.subTest(name):
                (launch,) = found[name]
                self.assertLessEqual(launch["spills"], SPILLS.get(name, 0), launch)
                self.assertEqual(launch["passes"], 1, launch)
                self.assertLessEqual(launch["registers"], 128, launch)
                self.assertLessEqual(launch["programs"], RESIDENT, launch)
                if "odd" not in name:
                    self.assertLess(launch["narrow"], 16, launch)  # of the row and of weights in vectors; what programs tell each other one by one


if __name__ == "__main__":
    unittest.main()
