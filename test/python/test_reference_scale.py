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


if __name__ == "__main__":
    unittest.main()
