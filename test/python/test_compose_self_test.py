"""The test that a composed file carries (src/compose/self_test.py), with functions in the place of kernels."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import unittest
from typing import Any
from unittest import mock

import torch

SOURCE = (pathlib.Path(__file__).resolve().parents[2] / "src" / "compose" / "self_test.py").read_text()
NORM = """
import torch
class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(n)
        self.norm.running_mean.fill_(0.5)
    def forward(self, x):
        return self.norm(x)
def get_inputs():
    return [torch.randn(8, 4)]
def get_init_inputs():
    return [4]
"""
DROPOUT = "import torch\ndef drop(x, p):\n    return torch.nn.functional.dropout(x, p)\ndef get_drop_inputs():\n    return torch.ones(64), 0.5\n"
INSTANCE = "import torch\nlayer = torch.nn.Linear(3, 2)\ndef layer_inputs():\n    return torch.randn(5, 3)\n"
PLAIN = "import torch\ndef f(x):\n    return {}\ndef f_inputs():\n    return [torch.arange(6.).reshape(2, 3)]\n"


def run(kernel_function: Any, text: str, target: str = "f", mode: str = "train") -> tuple[int, str]:
    names: dict[str, Any] = {"kernel_function": kernel_function}
    exec(SOURCE, names)
    out = io.StringIO()
    with mock.patch.dict(os.environ, TRITON_INTERPRET="1"), contextlib.redirect_stdout(out):
        return names["self_test"](text, name="problem.py", target=target, mode=mode), out.getvalue()


class Problems(unittest.TestCase):
    def test_module_in_its_mode(self) -> None:
        def norm(x: Any, *, norm_weight: Any, norm_bias: Any, norm_running_mean: Any, norm_running_var: Any) -> Any:
            return torch.nn.functional.batch_norm(x, norm_running_mean, norm_running_var, norm_weight, norm_bias, training)

        for training, mode in ((True, "train"), (False, "eval")):
            self.assertEqual(run(norm, NORM, "Model", mode)[0], 0)
            self.assertEqual(run(norm, NORM, "Model", "eval" if training else "train")[0], 1)

    def test_function_that_draws(self) -> None:
        self.assertEqual(run(lambda x, p: torch.nn.functional.dropout(x, p), DROPOUT, "drop")[0], 0)
        self.assertEqual(run(lambda x, p: torch.nn.functional.dropout(x * 2, p), DROPOUT, "drop")[0], 1)

    def test_instance(self) -> None:
        def linear(x: Any, *, weight: Any, bias: Any) -> Any:
            return x @ weight.t() + bias

        self.assertEqual(run(linear, INSTANCE, "layer"), (0, "PASS: kernel_function computes what problem.py computes, on cpu\nALL_TESTS_PASSED\n"))

    def test_inputs_of_the_program_are_its_own(self) -> None:
        self.assertEqual(run(lambda x: x + 1, PLAIN.format("x.add_(1)"))[0], 0)


class Differences(unittest.TestCase):
    def check(self, want: str, got: Any, expected: str | None) -> None:
        code, said = run(lambda x: got(x), PLAIN.format(want))
        self.assertEqual(code, 0 if expected is None else 1, said)
        self.assertIn(expected or "ALL_TESTS_PASSED", said)
        self.assertEqual("ALL_TESTS_PASSED" in said, expected is None)

    def test_tolerances(self) -> None:
        self.check("x + 1", lambda x: (x + 1) * 1.0011, None)
        self.check("x + 1", lambda x: (x + 1) * 1.0025, "the result: 6 of 6 elements differ by more than 0.001; at (1, 2) it is ")
        self.check("(x + 1).half()", lambda x: ((x + 1) * 1.009).half(), None)
        self.check("(x + 1).bfloat16()", lambda x: ((x + 1) * 1.1).bfloat16(), "differ by more than 0.01")
        self.check("x.double()", lambda x: x.double() + 0.1, "6 of 6")

    def test_whole_numbers_are_exact(self) -> None:
        self.check("x.int()", lambda x: x.int(), None)
        self.check("x.int()", lambda x: x.int() + (x == 4), "1 of 6 elements differ by more than 0.0; at (1, 1) it is 5 instead of 4")
        self.check("x > 2", lambda x: x > 3, "1 of 6 elements differ by more than 0.0; at (1, 0) it is False instead of True")

    def test_special_values(self) -> None:
        self.check("x / 0", lambda x: x / 0, None)
        self.check("x / 0", lambda x: (x / 0).nan_to_num(1.0), "6 of 6")
        self.check("x", lambda x: x / x * x, "1 of 6 elements differ by more than 0.001; at (0, 0) it is nan instead of 0.0")

    def test_structure(self) -> None:
        self.check("(x, [x, None], {'a': x})", lambda x: (x, [x, None], {"a": x}), None)
        self.check("(x, x)", lambda x: (x, x + 1), "the result[1]: 6 of 6")
        self.check("(x, x)", lambda x: x, "the result is not a sequence of 2")
        self.check("{'a': x}", lambda x: {"b": x}, "the result is not a dictionary with the keys ['a']")
        self.check("{'a': (x,)}", lambda x: {"a": (None,)}, "the result['a'][0] is NoneType instead of torch.float32 (2, 3)")
        self.check("x", lambda x: x.double(), "the result is torch.float64 (2, 3) instead of torch.float32 (2, 3)")
        self.check("x", lambda x: x[0], "the result is torch.float32 (3,) instead of torch.float32 (2, 3)")
        self.check("x[:0]", lambda x: x[:0], None)
        self.check("(x.sum(), None)", lambda x: (x.sum(), 3), "the result[1] is 3 instead of None")
        self.check("x.sum()", lambda x: x.sum() + 1, "the result: 1 of 1 elements differ by more than 0.001; at () it is 16.0 instead of 15.0")


if __name__ == "__main__":
    unittest.main()
