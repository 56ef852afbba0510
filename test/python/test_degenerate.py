"""Which programs' results say nothing about their inputs."""

from __future__ import annotations

import unittest

import torch
from test_policy import load_bridge

load_bridge()

from ka_bridge.degenerate import why_degenerate  # noqa: E402

SETS = [[torch.rand(4, 8, generator=torch.Generator().manual_seed(seed))] for seed in range(3)]
SAME = "every element of a result has the same value"
OTHER = "the results are the same for other inputs"
ROW = torch.arange(8.0)
CASES = (
    ("relu", torch.relu, ""),
    ("zero", lambda x: torch.clamp(torch.relu(x), max=0.0), SAME),
    ("nan everywhere", lambda x: x / 0 * 0, SAME),
    ("a softmax of one", lambda x: torch.softmax(x.sum(1, keepdim=True), 1), SAME),
    ("a constant row", lambda x: ROW + 0 * x.sum(), OTHER),
    ("a constant number", lambda x: torch.tensor(3.0), OTHER),
    ("a count", lambda x: torch.tensor(3), ""),
    ("a sum", lambda x: x.sum(), ""),
    ("a tuple with one that tells", lambda x: (torch.zeros(3), x), ""),
    ("a tuple of constants", lambda x: (torch.zeros(3), torch.ones(2)), SAME),
    ("a dictionary", lambda x: {"a": x}, ""),
    ("nothing", lambda x: x[:0], "the results are empty"),
)


class Degenerate(unittest.TestCase):
    def test_cases(self) -> None:
        for name, model, expected in CASES:
            with self.subTest(name):
                self.assertEqual(why_degenerate(model, SETS), expected)

    def test_one_draw_or_equal_ones_tell_nothing_about_others(self) -> None:
        for sets in (SETS[:1], [SETS[0], SETS[0]]):
            self.assertEqual(why_degenerate(lambda x: ROW, sets), "")
            self.assertEqual(why_degenerate(lambda x: torch.zeros(3), sets), SAME)


if __name__ == "__main__":
    unittest.main()
