"""At which sizes a program is exported: such that no size is taken for another."""

from __future__ import annotations

import itertools
import unittest

import reference_harness as harness

export = harness.bridge("export")
loading = harness.bridge("loading")

# Channels that grow from layer to layer beside a height and a width: scaled down alone, 64 + 2*growth and the height shrink alike.
GROWING = """
size = 64
class Model(nn.Module):
    def __init__(self, growth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(64 + k * growth, growth, 3, padding=1) for k in range(3))
    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, torch.relu(layer(x))], 1)
        for _ in range({more}):
            x = torch.relu(x)
        return x
def get_inputs(): return [torch.rand(4, 64, size, 48)]
def get_init_inputs(): return [32]
"""


def exported(text: str, **budget: int) -> list[dict]:
    request = {"mode": "train", "device": "cpu", "seed": 0, "single_draw": True, "budget": budget}
    state, _ = loading.load(request, harness.problem(text), "problem.py")
    return export.export(state, frozenset({"aten.conv2d.default", "aten.relu.default", "aten.cat.default"}))["samples"]


def affine(one: list[int], other: list[int]) -> bool:
    """Whether one is a multiple of the other plus a number, in every sample."""
    steps = [(a - one[0], b - other[0]) for a, b in zip(one, other)]
    return all(a * d == b * c for (a, b), (c, d) in itertools.combinations(steps, 2))


class Samples(unittest.TestCase):
    def vectors(self, samples: list[dict], kind: str) -> list[list[int]]:
        rows = zip(*([n for a in s["graph"]["arguments"] if a["kind"] == kind for n in a["shape"]] for s in samples))
        return [list(row) for row in rows if len(set(row)) > 1]

    def test_no_extent_of_a_weight_follows_one_of_the_inputs(self) -> None:
        for more in (0, 300):  # a short program, and one that is exported at few sizes
            samples = exported(GROWING.format(more=more), elements=1 << 26, flops=1 << 25)
            self.assertTrue(len(samples) <= 4 if more else len(samples) >= 6)
            weights, inputs = self.vectors(samples, "parameter"), self.vectors(samples, "input")
            self.assertTrue(weights and len(inputs) >= 2)
            for weight, extent in itertools.product(weights, inputs):
                self.assertFalse(affine(weight, extent), (weight, extent))

    def test_sizes_that_must_be_equal_change_together(self) -> None:
        samples = exported("""
            class Model(nn.Module):
                def __init__(self, width):
                    super().__init__()
                    self.layer = nn.Linear(width, width)
                def forward(self, x): return torch.relu(self.layer(x))
            def get_inputs(): return [torch.rand(32, 64)]
            def get_init_inputs(): return [64]
            """, elements=1 << 20, flops=1 << 25)
        self.assertGreater(len({s["graph"]["arguments"][0]["shape"][0] for s in samples}), 1)


if __name__ == "__main__":
    unittest.main()
