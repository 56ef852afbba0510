"""At which sizes a program is exported (such that no size is taken for another), and what it costs to find them."""

from __future__ import annotations

import itertools
import unittest
from typing import Any
from unittest import mock

import torch

import reference_harness as harness

export = harness.bridge("export")
loading = harness.bridge("loading")
cost, modes, ops, problem = (harness.bridge(name) for name in ("cost", "modes", "ops", "problem"))

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

# Height and width that are the same after a few layers, at all sizes that are near each other.
SHRINKING = """
height, width = 96, 96
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(3, 3, 3, stride=2, padding=1) for _ in range(5))
    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x
def get_inputs(): return [torch.rand(4, 3, height, width)]
def get_init_inputs(): return []
"""


def loaded(text: str, **budget: int) -> Any:
    request = {"mode": "train", "device": "cpu", "seed": 0, "single_draw": True, "budget": budget}
    return loading.load(request, harness.problem(text), "problem.py")[0]


def exported(text: str, **budget: int) -> list[dict]:
    state = loaded(text, **budget)
    return export.export(state, frozenset({"aten.conv2d.default", "aten.relu.default", "aten.cat.default"}))["samples"]


def affine(one: list[int], other: list[int]) -> bool:
    """Whether one is a multiple of the other plus a number, in every sample."""
    steps = [(a - one[0], b - other[0]) for a, b in zip(one, other)]
    return all(a * d == b * c for (a, b), (c, d) in itertools.combinations(steps, 2))


class Windows(unittest.TestCase):
    def test_a_height_that_has_shrunk_is_told_from_a_width(self) -> None:
        samples = exported(SHRINKING, elements=1 << 15, flops=1 << 24)
        shapes = [sample["graph"]["nodes"][-1]["outs"][0]["shape"] for sample in samples]
        self.assertTrue(any(shape[2] != shape[3] for shape in shapes), shapes)
        square = exported(SHRINKING.replace("height, width)", "height, height)"), elements=1 << 15, flops=1 << 24)
        self.assertTrue(all(max(sample["sizes"]["height"] for sample in square) <= 96 for sample in square))  # nothing to be told apart


class Costs(unittest.TestCase):
    def test_what_a_choice_of_sizes_costs_is_found_out_once(self) -> None:
        text = GROWING.format(more=0).replace("size = 64", "size = 80")
        with mock.patch.object(cost, "dataless_cost", wraps=cost.dataless_cost) as found:
            with self.assertRaises(problem.ProblemError):
                loaded(text, elements=1 << 10, flops=1 << 10)
            first = found.call_count
            state = loaded(text, elements=1 << 20, flops=1 << 25)
        self.assertGreater(first, 3)
        self.assertLess(found.call_count - first, first)
        self.assertLess(state.sizes["size"], 80)

    def test_norms_without_data_have_the_shapes_that_they_have_with_data(self) -> None:
        for dtype in (torch.float32, torch.float64):
            x = torch.rand(2, 6, 5, 4, dtype=dtype)
            ones = torch.ones(6, dtype=dtype)
            for call in (lambda x, one: torch.native_batch_norm(x, one, one, one * 1, one * 1, True, 0.1, 1e-5),
                         lambda x, one: torch.native_batch_norm(x, one, one, one * 1, one * 1, False, 0.1, 1e-5),
                         lambda x, one: torch.native_layer_norm(x, (5, 4), None, None, 1e-5)):
                with modes.Observe(record=False) as seen:
                    short = call(x.to("meta"), ones.to("meta"))
                self.assertIn(next(iter(seen.names & {"native_batch_norm", "native_layer_norm"})), {f._schema.name[6:] for f in ops.NORMS})
                for got, want in zip(short, call(x, ones)):
                    self.assertEqual((got.shape, got.dtype, got.stride()), (want.shape, want.dtype, want.stride()))


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

    def test_sizes_are_told_apart_beside_a_constant_that_no_argument_shows(self) -> None:
        # The width of the pool changes too where all sizes do; a sample with another width is of no use to the reader.
        state = loaded("""
            class Model(nn.Module):
                def __init__(self, inner, outer, width):
                    super().__init__()
                    self.layer, self.width = nn.Linear(inner, outer), width
                def forward(self, x): return F.avg_pool1d(self.layer(x).unsqueeze(1), self.width)
            inner = 256
            outer = 256
            width = 16
            def get_inputs(): return [torch.rand(32, inner)]
            def get_init_inputs(): return [inner, outer, width]
            """, elements=1 << 20, flops=1 << 28)
        known = ("aten.linear.default", "aten.unsqueeze.default", "aten.avg_pool1d.default")
        sizes = [sample["sizes"] for sample in export.export(state, frozenset(known))["samples"]]
        self.assertTrue(any(s["inner"] != s["outer"] and s["width"] == 16 for s in sizes), sizes)

    def test_the_order_in_which_an_einsum_is_made_is_no_part_of_the_program(self) -> None:
        # torch.einsum hands on what opt_einsum says, an order that depends on the sizes; stated here, as that package need not be there.
        state = loaded("""
            class Model(nn.Module):
                def forward(self, x, y, z):
                    return torch._VF.einsum("ab,bc,cd->ad", [x, y, z], path=[0, 1, 0, 1] if x.shape[0] > 40 else [1, 2, 0, 1])
            def get_inputs(): return [torch.rand(64, 32), torch.rand(32, 32), torch.rand(32, 64)]
            def get_init_inputs(): return []
            """, elements=1 << 11, flops=1 << 16)
        samples = export.export(state, frozenset({"aten.einsum.default"}))["samples"]
        self.assertGreater(len(samples), 1)
        for sample in samples:
            (node,) = sample["graph"]["nodes"]
            self.assertEqual((node["op"], sorted(node["args"])), ("aten.einsum.default", ["equation", "tensors"]))


NORMS = """
rows, side = 6, 32
class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.first, self.second = nn.BatchNorm2d(c), nn.BatchNorm1d(c, track_running_stats=False)
    def forward(self, x):
        y = self.first(x.contiguous(memory_format=torch.channels_last))
        return self.second(y.mean(3))
def get_inputs(): return [torch.rand(rows, 8, side, side)]
def get_init_inputs(): return [8]
"""

READS_VALUES = """
rows = 4096
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = nn.Parameter(torch.tensor(1.0))
        nn.init.constant_(self.kept, 3.0)
        self.layer = nn.Linear(16, 8 * int(self.kept.item()))
        self.rates = [r.item() for r in torch.linspace(0, 1, 3){more}]
        self.table = torch.arange(8.0 * 3)
    def forward(self, x): return self.layer(x) * self.rates[1] + self.table
def get_inputs(): return [torch.rand(rows, 16)]
"""


class Shortcuts(unittest.TestCase):
    """What makes an export cheaper changes nothing in it."""

    def samples(self) -> list[dict]:
        return export.export(loaded(NORMS, elements=1 << 13, flops=1 << 25), frozenset({"aten.batch_norm.default"}))["samples"]

    def test_norms_whose_shapes_are_stated(self) -> None:
        found = self.samples()
        with mock.patch.object(harness.bridge("export_shapes"), "NORMS", ()):
            self.assertEqual(found, self.samples())
        strides = [n["outs"][0]["strides"] for n in found[0]["graph"]["nodes"] if "batch_norm" in n["op"]]
        self.assertEqual(strides[0][1], 1)  # channels last, as they were given

    def test_only_the_first_export_says_where_its_nodes_come_from(self) -> None:
        places = [[n["where"] for n in sample["graph"]["nodes"]] for sample in self.samples()]
        self.assertTrue(all(where.startswith("problem.py:") for where in places[0]), places[0])
        self.assertFalse(any(any(others) for others in places[1:]))

    def test_a_constructor_that_reads_what_it_has_filled(self) -> None:
        for more in ("", "\n            if torch.rand(1).item() < 2"):  # PyTorch remembers no drawn number: such a one is built for real
            state = loaded(READS_VALUES.replace("{more}", more), elements=1 << 12, flops=1 << 25)
            self.assertLess(state.sizes["rows"], 4096)
            nodes = export.export(state, frozenset())["samples"][0]["graph"]["nodes"]
            self.assertEqual(nodes[0]["outs"][0]["shape"], [4096, 24])


if __name__ == "__main__":
    unittest.main()
