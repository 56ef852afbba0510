"""Answers that PyTorch leaves open are not asked for; the same programs are asked everything else."""

from __future__ import annotations

import unittest

import torch
from reference_harness import ReferenceTest, bridge

ROWS = "torch.randn(20, 50)"
# (result, input, distribution, whether it is drawn)
CASES = {
    "indices of topk, ties": ("torch.topk(x, 4)", ROWS, "halves", False),
    "indices of topk, no ties": ("torch.topk(x, 4)", ROWS, "normal", True),
    "values of topk alone": ("torch.topk(x, 4)[0]", ROWS, "halves", True),
    "indices used": ("x.gather(1, torch.topk(x, 4)[1] * 0 + torch.topk(x, 4)[1])", ROWS, "halves", False),
    "view of the indices": ("torch.sort(x)[1].view(-1)", ROWS, "halves", False),
    "stable sort": ("torch.sort(x, stable=True)[1]", ROWS, "halves", True),
    "values of sort": ("torch.sort(x)[0]", ROWS, "halves", True),
    "ties below the chosen": ("torch.topk(x.relu(), 1)[1]", "torch.randn(20, 50) - 1", "normal", True),
    "argmax is settled": ("x.argmax(-1)", ROWS, "halves", True),
    "integer that fits": ("(x * 2).int()", ROWS, "large", True),
    "integer too large": ("(x * 2).to(torch.int8)", ROWS, "large", False),
    "bool takes everything": ("x.to(torch.bool)", ROWS, "large", True),
    "all of a row is NaN, indices": ("torch.topk(x.softmax(-1), 2)", ROWS, "special", False),
    "all of a row is NaN, values": ("torch.topk(x.softmax(-1), 2)[0]", ROWS, "special", True),
    "a grid with NaN": ("F.grid_sample(x.view(1, 1, 20, 50), x.tanh().view(1, 20, 25, 2), align_corners=False)", ROWS, "special", False),
    "a grid of numbers": ("F.grid_sample(x.view(1, 1, 20, 50), x.tanh().view(1, 20, 25, 2), align_corners=False)", ROWS, "normal", True),
    "float to half": ("x.half().float()", ROWS, "normal", True),
}


def program(result: str, value: str) -> str:
    return f"class Model(nn.Module):\n    def forward(self, x): return {result}\ndef get_inputs(): return [{value}]\n"


class Unsettled(ReferenceTest):
    def test_what_is_drawn(self) -> None:
        for name, (result, value, distribution, drawn) in CASES.items():
            with self.subTest(name):
                self.loaded(program(result, value))
                answer = self.drawn(distribution=distribution).answer
                self.assertEqual(answer["applicable"], drawn, answer.get("why"))

    def test_special_values_without_infinity(self) -> None:
        """Infinity as an integer is open; NaN is undefined in the answer, the rest is not."""
        self.loaded(program("(x * 2).int()", ROWS))
        drawn = self.drawn(distribution="special")
        self.assertTrue(drawn.answer["applicable"])
        self.assertFalse(bool(torch.isinf(drawn.inputs()[0]).any()))
        self.assertTrue(bool(torch.isnan(drawn.inputs()[0]).any()))


class Scores(ReferenceTest):
    def test_scores_stay_moderate(self) -> None:
        """Behind a product that feeds a softmax; a softmax alone gets the whole range."""
        for result, limit in (("(x @ x.T).softmax(-1)", 1e3), ("x.softmax(-1)", 1e5)):
            for distribution in ("large", "negative"):
                with self.subTest(result, distribution=distribution):
                    self.loaded(program(result, ROWS))
                    top = float(self.drawn(distribution=distribution).inputs()[0].abs().max())
                    self.assertTrue(limit / 100 < top < limit, top)


class Attention(ReferenceTest):
    def test_plain_and_fused_forms_are_both_right(self) -> None:
        """NaN at a masked key: NaN in the plain form, finite in the fused one."""
        self.loaded("class Model(nn.Module):\n    def forward(self, q, k): return F.scaled_dot_product_attention(q, k, q, is_causal=True)\n"
                    "def get_inputs(): return [torch.randn(1, 1, 32, 16), torch.randn(1, 1, 32, 16)]\n")
        drawn = self.drawn(distribution="special")
        out, undefined = drawn.outputs()[0], drawn.outputs("undefined")[0].bool()
        self.assertTrue(bool(torch.isnan(out[undefined]).all()) and bool(undefined.any()))


class Unfilled(unittest.TestCase):
    def test_memory_that_nobody_has_filled_says_nothing(self) -> None:
        """Dropout makes such memory; what is in it differs from run to run, and with it what would be compared."""
        vanishing = bridge("vanishing")
        for make in (torch.empty_like, lambda x: x.new_empty(x.shape), lambda x: torch.empty_strided(x.shape, x.stride())):
            like = torch.ones(40)
            for _ in range(50):
                torch.full((40,), 1e-35)  # freed at once: the next one of this size lies there
                with (watch := vanishing.Vanishing()):
                    make(like)
                self.assertIsNone(watch.why)


if __name__ == "__main__":
    unittest.main()
