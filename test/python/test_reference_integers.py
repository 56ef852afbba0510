"""Integer and boolean inputs: drawn over their whole range where they are data, as given where they mean something."""

from __future__ import annotations

import unittest

import torch
from reference_harness import ReferenceTest

SMALL = "torch.randint(-1000, 1000, (64, 32), dtype=torch.int32)"
COUNTS = "torch.randint(0, 1000, (64, 32))"
BYTES = "torch.randint(0, 100, (64, 32), dtype=torch.uint8)"
MASK = "torch.rand(64, 32) > 0.5"
FLOATS = "torch.randn(64, 32)"

# What forward returns for its inputs a[0], a[1]; the inputs; whether they are data.
DATA = {
    "add": ("a[0] + a[1]", SMALL, SMALL),
    "sum": ("a[0].sum(-1)", SMALL),
    "maximum": ("a[0].max(-1)[0]", SMALL),
    "argmax": ("a[0].argmax(-1)", SMALL),
    "comparison": ("a[0] > a[1]", SMALL, SMALL),
    "remainder by a number": ("a[0] % 7", SMALL),
    "shift by a number": ("a[0] >> 3", SMALL),
    "division by a number": ("a[0] // 3", COUNTS),
    "bytes": ("a[0] + a[1]", BYTES, BYTES),
    "bytes as floating numbers": ("a[0].float() * 0.5", BYTES),
    "boolean logic": ("a[0] & ~a[1]", MASK, MASK),
    "masked fill": ("a[1].masked_fill(a[0], 0.0)", MASK, FLOATS),
    "where": ("torch.where(a[0], a[1], 2 * a[1])", MASK, FLOATS),
}
MEANING = {
    "gather": ("a[0].gather(1, a[1])", FLOATS, "torch.randint(0, 32, (64, 4))"),
    "index": ("a[0][a[1] + 1]", FLOATS, "torch.randint(0, 60, (5,))"),
    "index_select": ("a[0].index_select(0, a[1])", FLOATS, "torch.randint(0, 60, (5,))"),
    "take": ("a[0].take(a[1])", FLOATS, "torch.randint(0, 60, (5,))"),
    "embedding": ("F.embedding(a[1], a[0])", FLOATS, "torch.randint(0, 64, (5,))"),
    "scatter": ("torch.zeros(64, 32).scatter_add(1, a[1], a[0])", FLOATS, "torch.randint(0, 32, (64, 32))"),
    "labels": ("F.cross_entropy(a[0], a[1])", FLOATS, "torch.randint(0, 32, (64,))"),
    "one hot": ("F.one_hot(a[0], 1000).sum(0)", "torch.randint(0, 1000, (64,))"),
    "lengths": ("a[0] * (torch.arange(32) < a[1][:, None])", FLOATS, "torch.randint(1, 32, (64,))"),
    "loop count": ("a[0] * int(a[1].max())", FLOATS, "torch.randint(1, 32, (64,))"),
    "positions": ("torch.sin(a[0].float())", COUNTS),
    "zeros and ones": ("a[0] * a[1]", FLOATS, "torch.randint(0, 2, (64, 32))"),
    "the same for every seed": ("a[0].masked_fill(a[1], 0.0)", FLOATS, "torch.ones(64, 32).tril().bool()"),
    "offsets": ("a[0] + 1", "torch.randint(0, 9, (64,)).cumsum(0)"),
    "divisor": ("a[0] // a[1]", SMALL, "torch.randint(1, 9, (64, 32), dtype=torch.int32)"),
    "shift amount": ("a[0] << a[1]", SMALL, "torch.randint(0, 8, (64, 32), dtype=torch.int32)"),
    "boolean index": ("a[0].index_put((a[1],), torch.tensor(0.0))", FLOATS, MASK),
    "mask of a softmax": ("a[0].masked_fill(a[1], -1e9).softmax(-1)", FLOATS, MASK),
    "mask of attention": ("F.scaled_dot_product_attention(a[0], a[0], a[0], attn_mask=a[1])", FLOATS,
                          "torch.rand(64, 64) > 0.3"),
}


def program(result: str, *inputs: str) -> str:
    return f"""
class Model(nn.Module):
    def forward(self, *a): return {result}
def get_inputs(): return [{", ".join(inputs)}]
"""


class Integers(ReferenceTest):
    def offered(self, case: tuple[str, ...]) -> list[str]:
        """The distributions of integer and boolean inputs that the judge is offered."""
        return [name for name in self.loaded(program(*case))["more_distributions"] if name != "masked"]

    def test_data_is_drawn_over_the_whole_range(self) -> None:
        for name, case in DATA.items():
            with self.subTest(name):
                more = self.offered(case)
                self.assertEqual(more, ["integers", "true", "false"] if MASK in case else ["integers"])
                for distribution in more:
                    self.assertTrue(self.drawn(distribution=distribution).answer["applicable"])

    def test_what_means_something_stays_as_given(self) -> None:
        for name, case in MEANING.items():
            with self.subTest(name):
                self.assertEqual(self.offered(case), [])

    def test_extremes_are_among_the_values(self) -> None:
        self.loaded(program(*DATA["add"]))
        values = set(self.drawn(distribution="integers").inputs()[0].flatten().tolist())
        self.assertLessEqual({-2**31, 2**31 - 1, -1, 0, 1}, values)

    def test_counts_that_are_divided_stay_counts(self) -> None:
        self.loaded(program(*DATA["division by a number"]))
        values = self.drawn(distribution="integers").inputs()[0]
        self.assertGreaterEqual(int(values.min()), 0)
        self.assertGreater(int(values.max()), 2**60)

    def test_all_true_and_all_false(self) -> None:
        self.loaded(program(*DATA["where"]))
        self.assertTrue(bool(self.drawn(distribution="true").inputs()[0].all()))
        self.assertFalse(bool(self.drawn(distribution="false").inputs()[0].any()))

    def test_sums_wrap_as_pytorch_has_it(self) -> None:
        self.loaded(program("a[0] + a[1]", SMALL, SMALL))
        drawn = self.drawn(distribution="integers")
        x, y = drawn.inputs()
        self.assertTrue(torch.equal(drawn.outputs()[0], x + y))


if __name__ == "__main__":
    unittest.main()
