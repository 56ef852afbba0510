"""Recurrent layers as one launch (--forms persistent): every kind is accepted by the judge, and the launch fits an sm_90."""

import concurrent.futures
import math
import os
import tempfile
import unittest
from pathlib import Path

import compiled
import program

SHARED_LIMIT = 232448  # bytes that one program may use on sm_90

PROBLEM = """
import torch
import torch.nn as nn
T, B, I, H = {sizes}

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = {layer}

    def forward(self, {arguments}):
        return {forward}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""

LSTM, STATES = "x, h, c", "torch.randn(T, B, I), torch.randn({0}, B, H), torch.randn({0}, B, H)"
# name -> (T, B, I, H; the layer; forward's arguments; what it returns; inputs). 16 units and 16 rows are a program.
CASES = {
    "lstm": ("4, 10, 12, 40", "nn.LSTM(I, H)", LSTM, "self.f(x, (h, c))", STATES.format(1)),
    "lstm_one_step": ("1, 3, 5, 18", "nn.LSTM(I, H)", "x", "self.f(x)[0]", "torch.randn(T, B, I)"),
    "lstm_bidirectional_batch_first": ("4, 10, 12, 40", "nn.LSTM(I, H, bidirectional=True, batch_first=True)", "x", "self.f(x)[0]", "torch.randn(B, T, I)"),
    "lstm_few_units": ("3, 1, 3, 1", "nn.LSTM(I, H, bias=False)", "x", "self.f(x)[0]", "torch.randn(T, B, I)"),
    "lstm_half": ("3, 4, 8, 24", "nn.LSTM(I, H).bfloat16()", "x", "self.f(x)[0]", "torch.randn(T, B, I).bfloat16()"),
    "lstm_layers": ("3, 3, 6, 18", "nn.LSTM(I, H, 3)", LSTM, "self.f(x, (h, c))", STATES.format(3)),
    "gru": ("3, 20, 6, 19", "nn.GRU(I, H, 2)", "x, h", "self.f(x, h)", "torch.randn(T, B, I), torch.randn(2, B, H)"),
    "gru_without_biases": ("3, 3, 6, 18", "nn.GRU(I, H, 2, bias=False)", "x", "self.f(x)[0]", "torch.randn(T, B, I)"),
    "rnn_tanh": ("3, 64, 7, 33", "nn.RNN(I, H)", "x", "self.f(x)[0]", "torch.randn(T, B, I)"),
    "rnn_relu": ("3, 200, 7, 9", "nn.RNN(I, H, 2, nonlinearity='relu', bias=False)", "x, h", "self.f(x, h)", "torch.randn(T, B, I), torch.randn(2, B, H)"),
}
# name -> (T, B, I, H; the layer; blocks of rows, of units, and layers: the programs that are there at once)
COMPILED = {
    "lstm_256": ("512, 10, 128, 256", "nn.LSTM(I, H)", [1, 16, 1]),
    "lstm_256_6_layers": ("512, 10, 128, 256", "nn.LSTM(I, H, 6)", [1, 16, 6]),
    "lstm_512": ("128, 64, 128, 512", "nn.LSTM(I, H)", [4, 32, 1]),
    "lstm_64": ("128, 1, 64, 64", "nn.LSTM(I, H)", [1, 4, 1]),
    "lstm_1024": ("128, 8, 64, 1024", "nn.LSTM(I, H)", [1, 128, 1]),
    "gru_256_3_layers": ("512, 10, 128, 256", "nn.GRU(I, H, 3)", [1, 16, 3]),
    "rnn_256_2_layers": ("512, 10, 128, 256", "nn.RNN(I, H, 2)", [1, 8, 2]),
}
SPILLS = {"lstm_1024": 256}  # bytes; triton 3.6 spills 232, 3.7 at most 64


def problem_of(sizes: str, layer: str, arguments: str = "x", forward: str = "self.f(x)[0]", inputs: str = "torch.randn(T, B, I)") -> str:
    return PROBLEM.format(sizes=sizes, layer=layer, arguments=arguments, forward=forward, inputs=inputs)


def generated(folder: str, problem: str, *more: str) -> tuple[Path, program.Finished]:
    path = Path(folder) / "problem.py"
    path.write_text(problem)
    made = program.run("generate", "--problem", path, "--out", f"{folder}/run", *more)
    return Path(folder) / "run" / "kernel.py", made


class Persistent(unittest.TestCase):
    def accepted(self, name: str, *more: str) -> str:
        with tempfile.TemporaryDirectory() as out:
            kernel, made = generated(out, problem_of(*CASES[name]), "--forms", "persistent", "--verify", *more)
            self.assertEqual(made.code, 0, made.text())
            self.assertIn("ACCEPTED", made.text())
            text = kernel.read_text()
        self.assertIn("launch_cooperative_grid=True", text)
        self.assertNotIn("for step in range(T):\n        ", text.partition("def kernel_function")[2], "no launch for each step")
        return text

    def test_every_kind_is_accepted(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            waiting = {name: pool.submit(self.accepted, name) for name in CASES}
        for name, done in waiting.items():
            with self.subTest(name):
                done.result()

    def test_three_products_are_as_accurate_as_float32(self):
        self.assertIn("product_of_halves(", self.accepted("lstm", "--precision", "fp32"))
        self.assertIn("product_of_highs(", self.accepted("gru", "--precision", "tf32"))

    def test_what_is_refused_is_launched_step_by_step(self):
        refused = {
            "form": (problem_of("4, 3, 5, 18", "nn.LSTM(I, H)"), ()),
            "float64": (problem_of("4, 3, 5, 18", "nn.LSTM(I, H).double()", inputs="torch.randn(T, B, I).double()"), ("--forms", "persistent")),
            "too wide for the chip": (problem_of("4, 3, 5, 3000", "nn.LSTM(I, H)"), ("--forms", "persistent")),
            "another maker": (problem_of("4, 3, 5, 18", "nn.LSTM(I, H)"), ("--forms", "persistent", "--gpu", "max1550")),
        }
        for name, (problem, forms) in refused.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as out:
                kernel, made = generated(out, problem, "--no-verify", *forms)
                self.assertEqual(made.code, 0, made.text())
                self.assertNotIn("cooperative", kernel.read_text())
                self.assertRegex(kernel.read_text(), r"for step in range\(\w+\):")

    def test_weights_stay_on_the_chip_and_nothing_spills(self):
        found = compiled.launches({name: problem_of(sizes, layer) for name, (sizes, layer, _) in COMPILED.items()}, "--forms", "persistent", option="launch_cooperative_grid")
        for name, (_, layer, grid) in COMPILED.items():
            with self.subTest(name):
                self.assertEqual(len(found[name]), 1, found[name])
                for launch in found[name]:
                    self.assertLessEqual(launch["spills"], SPILLS.get(name, 0), launch)
                    self.assertLessEqual(launch["shared"], SHARED_LIMIT, launch)
                    self.assertEqual([*launch["grid"], 1][:3], grid, launch)
                    self.assertLessEqual(math.prod(grid), 132, launch)
                    # for each step the gates of its tile, the state before and the one below are loaded: 16 rows of the batch, and no weights
                    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[layer[3:layer.index("(")]]
                    self.assertEqual(len(launch["looped"]), gates + (2 if grid[2] > 1 else 1), launch)
                    self.assertLessEqual(max(rows for rows, _ in launch["looped"]), 16, launch)


if __name__ == "__main__":
    unittest.main()
