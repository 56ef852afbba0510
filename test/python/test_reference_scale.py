"""Scaling: large problems become small ones that run, by a rule that gives the same answer every time."""

from __future__ import annotations

import unittest

from reference_harness import BUDGET, ReferenceTest
from reference_scale_problems import PROBLEMS


class Scales(ReferenceTest):
    def test_every_structure_reaches_the_budget_and_runs(self) -> None:
        for name, text in PROBLEMS.items():
            with self.subTest(name):
                answer = self.loaded(text, budget=BUDGET)
                self.assertTrue(answer["sizes"]["scaled"])
                self.assertLessEqual(answer["elements"], BUDGET["elements"])
                self.assertLessEqual(answer["flops"], BUDGET["flops"])
                drawn = self.drawn()
                self.assertTrue(all(out.isfinite().all() for out in drawn.outputs()))

    def test_the_answer_is_the_same_every_time(self) -> None:
        text = PROBLEMS["attention block"]
        first = self.loaded(text, budget=BUDGET)
        self.assertEqual(first["sizes"], self.loaded(text, budget=BUDGET, seed=1234)["sizes"])

    def test_what_fits_stays_as_given(self) -> None:
        answer = self.loaded("""
            n = 64
            class Model(nn.Module):
                def forward(self, x): return x * 2
            def get_inputs(): return [torch.rand(n, n)]
            """, budget=BUDGET)
        self.assertEqual((answer["sizes"]["scaled"], answer["sizes"]["verified"]), (False, {"n": 64}))

    def test_batch_and_extents_before_features(self) -> None:
        answer = self.loaded("""
            batch, channels, side = 64, 64, 32
            class Model(nn.Module):
                def __init__(self, c):
                    super().__init__()
                    self.norm = nn.InstanceNorm2d(c, affine=True)
                def forward(self, x): return self.norm(x)
            def get_inputs(): return [torch.rand(batch, channels, side, side)]
            def get_init_inputs(): return [channels]
            """, budget=BUDGET)
        self.assertEqual(answer["sizes"]["verified"]["channels"], 64)
        self.assertLess(answer["sizes"]["verified"]["batch"], 64)

    def test_odd_sizes_stay_odd(self) -> None:
        answer = self.loaded("""
            M, K, N = 8205, 2949, 5921
            class Model(nn.Module):
                def forward(self, a, b): return a @ b
            def get_inputs(): return [torch.rand(M, K), torch.rand(K, N)]
            """, budget=BUDGET)
        self.assertTrue(all(size % 2 == 1 for size in answer["sizes"]["verified"].values()), answer["sizes"])

    def test_relations_hold_or_the_constant_is_kept(self) -> None:
        answer = self.loaded("""
            batch, width = 4096, 96
            class Model(nn.Module):
                def forward(self, x):
                    if x.shape[1] != 96: raise ValueError("needs 96 columns")
                    return x * 2
            def get_inputs(): return [torch.rand(batch, width)]
            """, budget=BUDGET)
        self.assertEqual(answer["sizes"]["verified"]["width"], 96)

    def test_sizes_that_differ_stay_different_where_the_weights_depend_on_it(self) -> None:
        answer = self.loaded("""
            rows, inside, outside = 4096, 256, 512
            class Model(nn.Module):
                def __init__(self, a, b):
                    super().__init__()
                    self.up = nn.Linear(a, b)
                    self.skip = nn.Identity() if a == b else nn.Linear(a, b)
                def forward(self, x): return self.up(x).relu() + self.skip(x)
            def get_inputs(): return [torch.rand(rows, inside)]
            def get_init_inputs(): return [inside, outside]
            """, budget={"elements": 1 << 12, "flops": 1 << 17})
        sizes = answer["sizes"]["verified"]
        self.assertNotEqual(sizes["inside"], sizes["outside"])
        self.assertIn("skip.weight", [w["name"] for w in answer["weights"]])

    def test_the_number_of_turns_is_kept_where_the_rest_is_enough(self) -> None:
        text = """
            turns, rows, width = 32, 64, 512
            class Model(nn.Module):
                def __init__(self, n):
                    super().__init__()
                    self.step = nn.Linear(n, n)
                def forward(self, x, h):
                    for t in range(x.shape[0]):
                        h = torch.tanh(self.step(h) + x[t])
                    return h
            def get_inputs(): return [torch.rand(turns, rows, width), torch.rand(rows, width)]
            def get_init_inputs(): return [width]
            """
        self.assertEqual(self.loaded(text, budget=BUDGET)["sizes"]["verified"]["turns"], 32)
        tight = self.loaded(text, budget={"elements": 1 << 11, "flops": 1 << 16})
        self.assertLess(tight["sizes"]["verified"]["turns"], 32)

    def test_sizes_at_which_the_answer_is_noise_are_not_taken(self) -> None:
        text = """
            batch, side = 64, 16
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    parts = []
                    for _ in range(12):
                        parts += [nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.Hardtanh()]
                    self.body = nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8))
                def forward(self, x): return self.body(x * 1e-6 + 1)
            def get_inputs(): return [torch.rand(batch, 8, side, side)]
            """
        budget = {"elements": 1 << 16, "flops": 1 << 22}
        self.refused(text, "cannot_scale", "ill-conditioned", budget=budget)
        self.assertIn("ill-conditioned", self.loaded(text, budget={**budget, "single": True})["sizes"]["steps"][-1])

    def test_values_that_do_not_follow_a_size(self) -> None:
        answer = self.loaded("""
            vocabulary = 4096
            width = 512
            batch = 512
            class Model(nn.Module):
                def __init__(self, v, w):
                    super().__init__()
                    self.table = nn.Embedding(v, w)
                def forward(self, t): return self.table(t).softmax(-1)
            def get_inputs(): return [torch.randint(0, 4096, (batch, 16))]
            def get_init_inputs(): return [vocabulary, width]
            """, budget={"elements": 1 << 14, "flops": 1 << 20})
        self.assertEqual(answer["sizes"]["verified"]["vocabulary"], 4096)

    def test_no_scaling_reaches_the_budget(self) -> None:
        message = self.refused("""
            batch = 64
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(4096, 4096)
                def forward(self, x): return self.fc(x)
            def get_inputs(): return [torch.rand(batch, 4096)]
            """, "cannot_scale", "no scaling reaches", "batch: 64 -> 2", budget=BUDGET)["message"]
        self.assertIn("flops", message)

    def test_an_error_of_the_program_is_told_as_such(self) -> None:
        error = self.refused("""
            batch = 1 << 20
            class Model(nn.Module):
                def forward(self, x): return x @ torch.rand(7, 7)
            def get_inputs(): return [torch.rand(batch, 64)]
            """, "forward_raises", "RuntimeError", budget=BUDGET)
        self.assertEqual(error["line"], 7)

    def test_unscaled_tensors_are_never_made(self) -> None:
        answer = self.loaded("""
            rows = 1 << 40
            table = torch.zeros(rows, 4)
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.w = nn.Parameter(torch.randn(rows, 4))
                def forward(self, x): return x + self.w + table
            def get_inputs(): return [torch.rand(rows, 4)]
            """, budget=BUDGET)
        self.assertLessEqual(answer["elements"], BUDGET["elements"])

    def test_every_place_where_a_size_may_be_written(self) -> None:
        places = {
            "expression": ("", "torch.rand(2 * 4096, 10 ** 4)"),
            "huge expression": ("", "torch.rand(10 ** 9, 8)"),
            "tuple": ("input_shape = (8192, 4096)", "torch.rand(*input_shape)"),
            "list": ("input_shape = [8192, 4096]", "torch.rand(input_shape)"),
            "dictionary": ("cfg = {'rows': 8192, 'columns': 1 << 12}", "torch.rand(cfg['rows'], cfg['columns'])"),
            "dict call": ("cfg = dict(rows=8192, columns=4096)", "torch.rand(cfg['rows'], cfg['columns'])"),
            "class attributes": ("class Config:\n    rows = 8192\n    columns: int = 4096",
                                 "torch.rand(Config.rows, Config.columns)"),
            "torch.Size": ("shape = torch.Size([8192, 4096])", "torch.rand(shape)"),
            "called function": ("def make(rows=8192, columns=4096): return torch.rand(rows, columns)", "make()"),
        }
        model = "class Model(nn.Module):\n    def forward(self, x): return x * 2\n"
        for place, (head, value) in places.items():
            with self.subTest(place):
                answer = self.loaded(f"{head}\n{model}def get_inputs(): return [{value}]\n", budget=BUDGET)
                self.assertTrue(answer["sizes"]["scaled"])
                self.assertEqual(len(answer["sizes"]["verified"]), 2, answer["sizes"])
                self.assertLessEqual(answer["elements"], BUDGET["elements"])

    def test_default_arguments_of_get_inputs(self) -> None:
        answer = self.loaded("""
            class Model(nn.Module):
                def forward(self, x): return x * 2
            def get_inputs(batch=1 << 14, dim=2 * 512): return [torch.rand(batch, dim)]
            """, budget=BUDGET)
        self.assertEqual(answer["sizes"]["given"], {"get_inputs[0].dim0": 1 << 14, "get_inputs[0].dim1": 1024})

    def test_attributes_of_the_model_are_features(self) -> None:
        answer = self.loaded("""
            class Model(nn.Module):
                width = 4096
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(self.width, self.width)
                def forward(self, x): return self.fc(x)
            def get_inputs(): return [torch.rand(64, Model.width)]
            """, budget=BUDGET)
        self.assertLess(answer["sizes"]["verified"]["Model.width"], 4096)


class Widths(ReferenceTest):
    """Literals inside classes change only when nothing else helps, and only where they set weights."""

    BUDGET = {"elements": 1 << 18, "flops": 1 << 23, "widths": True}
    NETWORK = """
        batch = 64
        class Model(nn.Module):
            def __init__(self, size=64):
                super().__init__()
                self.size = size
                self.features = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(8),
                                              nn.Conv2d(64, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(4))
                self.classify = nn.Linear(256 * 2 * 2, 512)
            def forward(self, x):
                x = self.features(x)
                return 32 * torch.sigmoid(self.classify(x.flatten(1)))
        def get_inputs(): return [torch.rand(batch, 3, 64, 64)]
        """

    def test_a_common_divisor_reaches_the_budget(self) -> None:
        self.refused(self.NETWORK, "cannot_scale", "no scaling reaches", budget={**self.BUDGET, "widths": False})
        sizes = self.loaded(self.NETWORK, budget=self.BUDGET)["sizes"]
        ratios = {given // sizes["verified"][name] for name, given in sizes["given"].items() if name.startswith("width ")}
        self.assertEqual(len(ratios), 1, sizes)
        self.assertEqual({n for n in sizes["given"] if n.startswith("width ")}, {"width 64", "width 256", "width 512"})
        self.assertTrue(sizes["scaled"])
        self.assertTrue(self.drawn().outputs()[0].isfinite().all())

    def test_an_extent_that_the_inputs_must_have_stays(self) -> None:
        text = self.NETWORK.replace("x = self.features(x)", "assert x.shape[2] == self.size\n                x = self.features(x)")
        sizes = self.loaded(text.replace("size=64", "size=128").replace("64, 64)]", "128, 128)]").replace("* 2 * 2", "* 4 * 4"),
                            budget={"elements": 1 << 20, "flops": 1 << 25, "widths": True})["sizes"]
        self.assertNotIn("width 128", sizes["given"])

    def test_the_smallest_need_is_told(self) -> None:
        error = self.refused(self.NETWORK, "cannot_scale", "no scaling reaches", budget={"elements": 1 << 10, "flops": 1 << 10})
        self.assertGreater(error["need"][0], 1 << 10)


if __name__ == "__main__":
    unittest.main()
