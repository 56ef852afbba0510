"""-inf in the inputs: drawn where every algorithm must give PyTorch's answer, and nowhere else."""

from __future__ import annotations

import unittest

import torch
from reference_harness import ReferenceTest

ROWS = "torch.randn(64, 32)"
DEFINED = {
    "softmax": ("x.softmax(-1)", ROWS),
    "softmax over rows": ("x.softmax(0)", ROWS),
    "softmax by hand": ("(x - x.amax(-1, True)).exp() / (x - x.amax(-1, True)).exp().sum(-1, True)", ROWS),
    "log softmax": ("x.log_softmax(-1)", ROWS),
    "logsumexp": ("x.logsumexp(-1)", ROWS),
    "maximum": ("x.max(-1)[0]", ROWS),
    "minimum": ("x.amin(-1)", ROWS),
    "mean of maxima": ("x.amax(-1).mean()", ROWS),
    "pooling": ("F.max_pool2d(x, 2)", "torch.randn(2, 3, 16, 16)"),
}
UNDEFINED = {
    "sum": ("x.sum(-1)", ROWS),
    "mean": ("x.mean(-1)", ROWS),
    "norm": ("F.layer_norm(x, (32,))", ROWS),
    "softmax of a product": ("(x @ x.T).softmax(-1)", ROWS),
    "softmax of sums": ("x.sum(-1).softmax(-1)", ROWS),
    "row of one": ("x.softmax(-1)", "torch.randn(64, 1)"),
    "maximum of a curved function": ("F.gelu(x).amax(-1)", ROWS),
}
ATTENTION = """
class Model(nn.Module):
    def forward(self, q, mask): return ((q @ q.transpose(-1, -2)) + mask).softmax(-1) @ q
def get_inputs(): return [torch.randn(2, 32, 16), torch.randn(32, 32)]
"""


def program(result: str, value: str) -> str:
    return f"class Model(nn.Module):\n    def forward(self, x): return {result}\ndef get_inputs(): return [{value}]\n"


class Masked(ReferenceTest):
    def test_where_the_answer_is_defined(self) -> None:
        for name, case in DEFINED.items():
            with self.subTest(name):
                self.assertIn("masked", self.loaded(program(*case))["more_distributions"])
                drawn = self.drawn(distribution="masked")
                x, out = drawn.inputs()[0], drawn.outputs()[0]
                self.assertTrue(bool(torch.isneginf(x).any()))
                self.assertFalse(any(bool(torch.isneginf(x).all(dim).any()) for dim in range(x.dim())))
                self.assertFalse(bool(torch.isnan(out).any()))

    def test_where_it_depends_on_the_algorithm(self) -> None:
        for name, case in UNDEFINED.items():
            with self.subTest(name):
                if "masked" in self.loaded(program(*case))["more_distributions"]:
                    self.assertFalse(self.drawn(distribution="masked").answer["applicable"])

    def test_the_mask_and_not_the_factors_of_a_product(self) -> None:
        self.loaded(ATTENTION)
        query, mask = self.drawn(distribution="masked").inputs()
        self.assertTrue(bool(query.isfinite().all()))
        self.assertTrue(bool(torch.isneginf(mask).any()))


if __name__ == "__main__":
    unittest.main()
