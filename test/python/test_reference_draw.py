"""The `draw` command: inputs, weights, expected outputs, other distributions, emulated precision."""

from __future__ import annotations

import unittest

import torch
from reference_harness import ReferenceTest, bridge

LINEAR = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(16, 8)
        self.norm = nn.LayerNorm(8)
    def forward(self, x): return self.norm(self.fc(x))
def get_inputs(): return [torch.randn(6, 16)]
"""


def one(body: str, sample: str = "torch.rand(6, 16)", extra: str = "") -> str:
    return f"class Model(nn.Module):\n    def forward(self, x): return {body}\ndef get_inputs(): return [{sample}{extra}]\n"


class Draws(ReferenceTest):
    def test_outputs_follow_from_inputs_and_weights(self) -> None:
        self.loaded(LINEAR)
        drawn = self.drawn()
        x, w = drawn.inputs()[0], drawn.weights()
        y = torch.nn.functional.linear(x, w["fc_weight"], w["fc_bias"])
        y = torch.nn.functional.layer_norm(y, (8,), w["norm_weight"], w["norm_bias"])
        torch.testing.assert_close(drawn.outputs()[0], y)
        wide = drawn.outputs("outputs64")[0]
        self.assertEqual(wide.dtype, torch.float64)
        torch.testing.assert_close(wide.float(), y, rtol=1e-5, atol=1e-6)
        self.assertLess(float((wide - y.double()).abs().max()), 1e-5)

    def test_same_seed_same_bytes(self) -> None:
        self.loaded(LINEAR)
        first, again, other = self.drawn(), self.drawn(), self.drawn(seed=99)
        self.assertEqual(first.mapping[:], again.mapping[:])
        self.assertFalse(torch.equal(first.inputs()[0], other.inputs()[0]))
        self.assertFalse(torch.equal(first.weights()["fc_weight"], other.weights()["fc_weight"]))

    def test_buffers_start_fresh_and_are_reported(self) -> None:
        self.loaded("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.bn = nn.BatchNorm1d(4, momentum=0.5)
                def forward(self, x): return self.bn(x)
            def get_inputs(): return [torch.rand(8, 4)]
            """)
        for seed in (1, 2):
            drawn = self.drawn(seed=seed)
            self.assertEqual(drawn.weights()["bn_running_mean"].tolist(), [0.0] * 4)
            after = drawn.tensor(drawn.answer["buffers_after"]["bn.running_mean"])
            torch.testing.assert_close(after, drawn.inputs()[0].mean(0) * 0.5)
            self.assertEqual(int(drawn.tensor(drawn.answer["buffers_after"]["bn.num_batches_tracked"])), 1)

    def test_inputs_are_written_before_forward_can_change_them(self) -> None:
        self.loaded(one("x.zero_()"))
        self.assertGreater(float(self.drawn().inputs()[0].sum()), 1.0)

    def test_strides_survive(self) -> None:
        self.loaded(one("x * 2", "torch.rand(5, 7).t()"))
        drawn = self.drawn()
        self.assertEqual(drawn.answer["inputs"][0]["strides"], [1, 7])
        self.assertTrue(torch.equal(drawn.inputs()[0] * 2, drawn.outputs()[0]))

    def test_variant(self) -> None:
        self.loaded("n = 8\n" + one("x.softmax(-1)", "torch.rand(n, 5)"))
        self.assertEqual(self.drawn(variant="n=9").answer["outputs"][0]["shape"], [9, 5])
        self.assertFalse(self.child.draw(variant="n=77").answer["ok"])

    def test_nan_at_other_sizes_is_no_mistake_of_the_problem(self) -> None:
        answer = self.loaded("n = 8\n" + one("x + (x - x) / (x.sum() > 2).float()", "torch.rand(n, 5)"))
        self.assertIn("n=1", [v["name"] for v in answer["variants"]])
        told = [self.drawn(variant="n=1", seed=seed).answer.get("applicable", True) for seed in range(40)]
        self.assertEqual({True, False}, set(told))

    def test_integer_outputs(self) -> None:
        self.loaded(one("(x.argmax(-1).int(), x > 0.5)"))
        drawn = self.drawn()
        self.assertEqual([s["dtype"] for s in drawn.answer["outputs64"]], ["int64", "int64"])

    def test_half_precision_is_widened(self) -> None:
        for dtype in ("float16", "bfloat16"):
            self.loaded(one("torch.exp(x.float()).to(x.dtype).sum(-1)", f"torch.rand(4, 9).to(torch.{dtype})"))
            drawn = self.drawn()
            exact = drawn.inputs()[0].double().exp().sum(-1)
            torch.testing.assert_close(drawn.outputs("outputs64")[0], exact, rtol=1e-12, atol=0)

    def test_global_tensors_and_plain_attributes_are_widened(self) -> None:
        self.loaded("""
            table = torch.rand(16, 4)
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.state = torch.rand(6, 4)
                def forward(self, x):
                    self.state = self.state + x @ table
                    return self.state
            def get_inputs(): return [torch.rand(6, 16)]
            """)
        first, again = self.drawn(), self.drawn()
        self.assertNotIn("notes", first.answer)
        self.assertEqual(first.mapping[:], again.mapping[:])
        self.assertGreater(float((first.outputs()[0] - first.outputs("outputs64")[0]).abs().max()), 0.0)

    def test_float64_that_is_impossible_is_noted(self) -> None:
        self.loaded(one("(x.view(torch.int32) & -65536).view(torch.float32)"))
        drawn = self.drawn()
        self.assertIn("float64 run is impossible", drawn.answer["notes"][0])
        self.assertTrue(torch.equal(drawn.outputs()[0].double(), drawn.outputs("outputs64")[0]))


class RandomDraws(ReferenceTest):
    def test_float64_sees_the_same_draws(self) -> None:
        bodies = ["F.dropout(x, 0.5)", "x + torch.rand_like(x)", "x * torch.bernoulli(torch.full_like(x, 0.3))",
                  "x + torch.randn(6, 16)", "x[torch.randperm(6)]", "F.rrelu(x - 0.5, training=True)",
                  "F.gumbel_softmax(x)", "x + torch.empty(16).normal_()"]
        for body in bodies:
            self.assertTrue(self.loaded(one(body))["draws_random"], body)
            drawn = self.drawn()
            self.assertNotIn("notes", drawn.answer, body)
            torch.testing.assert_close(drawn.outputs()[0].double(), drawn.outputs("outputs64")[0], rtol=1e-5, atol=1e-6)

    def test_the_call_seed_decides(self) -> None:
        self.loaded(one("x + torch.rand(6, 16)"))
        drawn = self.drawn(call_seed=5)
        torch.manual_seed(5)
        torch.testing.assert_close(drawn.outputs()[0], drawn.inputs()[0] + torch.rand(6, 16))


class Distributions(ReferenceTest):
    def test_normal_wide_small(self) -> None:
        self.loaded(one("x * 2", "torch.rand(64, 64)"))
        values = {name: self.drawn(distribution=name).inputs()[0] for name in ("given", "normal", "wide", "small")}
        self.assertGreaterEqual(float(values["given"].min()), 0.0)
        self.assertLess(abs(float(values["normal"].mean())), 0.1)
        self.assertAlmostEqual(float(values["normal"].std()), 1.0, delta=0.1)
        self.assertGreater(float(values["wide"].max()), 500.0)
        self.assertLess(float(values["wide"].min()), 2e-3)
        self.assertLessEqual(float(values["small"].max()), 2.0**-10)

    def test_wide_narrows_before_it_overflows(self) -> None:
        self.loaded(one("torch.exp(x)"))
        self.assertLess(float(self.drawn(distribution="wide").inputs()[0].max()), 17.0)

    def test_not_applicable_says_why(self) -> None:
        self.loaded(one("torch.log(x + 1e-3)"))
        answer = self.drawn(distribution="normal").answer
        self.assertEqual((answer["applicable"], answer["why"]), (False, "the reference returns NaN for these values"))
        self.loaded("""
            class Model(nn.Module):
                def forward(self, p, t): return F.binary_cross_entropy(p, t)
            def get_inputs(): return [torch.rand(8), torch.rand(8)]
            """)
        self.assertIn("between 0 and 1", self.drawn(distribution="normal").answer["why"])

    def test_structure_is_kept(self) -> None:
        rows = [("torch.randn(8, 8).tril()", lambda a: torch.equal(a, a.tril())),
                ("(lambda a: a + a.T)(torch.randn(8, 8))", lambda a: torch.equal(a, a.T)),
                ("torch.randint(0, 2, (8, 8)).float()", lambda a: set(a.unique().tolist()) <= {0.0, 1.0}),
                ("torch.rand(8, 8).softmax(-1)", lambda a: torch.allclose(a.sum(-1), torch.ones(8))),
                ("torch.rand(8, 8).sort(-1)[0]", lambda a: bool((a.diff(dim=-1) >= 0).all())),
                ("torch.ones(8, 8)", lambda a: bool((a == 1).all())),
                ("torch.randint(0, 9, (8, 8))", lambda a: a.dtype == torch.int64)]
        for sample, holds in rows:
            self.loaded(one("(x * 2, y)", sample, ", torch.randn(8)").replace("self, x", "self, x, y"))
            for distribution in ("normal", "wide"):
                self.assertTrue(holds(self.drawn(distribution=distribution).inputs()[0]), sample)

    def test_tiny_inputs_leave_something_to_compare(self) -> None:
        for body, power in (("x * 2", -40), ("F.layer_norm(x, (8,))", -40), ("x @ x.T", -40), ("x.abs().pow(3.5).sum()", -20), ("x * x * x", -30)):
            self.loaded(one(body, "torch.rand(8, 8) + 1"))
            x = self.drawn(distribution="tiny").inputs()[0]
            self.assertEqual(torch.frexp(x).exponent.min().item(), power + 1, body)
        self.loaded(one("F.kl_div(x.log_softmax(-1), x.flip(0).softmax(-1), reduction='batchmean')", "torch.randn(8, 8)"))
        self.assertIn("equal up to rounding", self.drawn(distribution="tiny").answer["why"])

    def test_constant_weights_get_values(self) -> None:
        self.loaded(LINEAR)
        self.assertEqual(set(self.drawn().weights()["norm_bias"].tolist()), {0.0})
        drawn = self.drawn(distribution="normal")
        self.assertEqual(len(set(drawn.weights()["norm_bias"].tolist())), 8)
        x, w = drawn.inputs()[0], drawn.weights()
        y = torch.nn.functional.layer_norm(torch.nn.functional.linear(x, w["fc_weight"], w["fc_bias"]), (8,),
                                           w["norm_weight"], w["norm_bias"])
        torch.testing.assert_close(drawn.outputs()[0], y)


class Emulation(ReferenceTest):
    def test_rounding(self) -> None:
        rounding = bridge("emulate").round_mantissa
        step = 2.0**-10
        rows = [(1.0, 1.0), (1 + step, 1 + step), (1 + step / 2, 1.0), (1 + 3 * step / 2, 1 + 2 * step),
                (1 + step / 2 + 2.0**-23, 1 + step), (-1 - 3 * step / 2, -1 - 2 * step), (0.0, 0.0)]
        values = torch.tensor([a for a, _ in rows])
        self.assertEqual(rounding(values, 10).tolist(), [b for _, b in rows])
        x = torch.randn(1000)
        self.assertTrue(torch.equal(rounding(x, 7), x.bfloat16().float()))
        edge = torch.tensor([float("inf"), float("-inf"), float("nan"), torch.finfo().max])
        self.assertEqual(rounding(edge, 10).isfinite().tolist(), [False, False, False, False])
        self.assertTrue(bool(rounding(edge, 10)[2].isnan()))

    def test_contractions_lose_what_the_tier_loses(self) -> None:
        rows = [("x @ x.T", "torch.rand(32, 64)"), ("torch.einsum('ij,kj->ik', x, x)", "torch.rand(32, 64)"),
                ("F.conv1d(x, x[:4, :, :3])", "torch.rand(8, 8, 32)"), ("F.linear(x, x, x[:, 0])", "torch.rand(32, 32)"),
                ("F.scaled_dot_product_attention(x, x, x)", "torch.rand(2, 2, 32, 16)"), ("torch.cdist(x, x[:4])", "torch.rand(40, 32)"),
                ("torch.baddbmm(x, x, x)", "torch.rand(2, 32, 32)")]
        for body, sample in rows:
            self.loaded(one(body, sample))
            errors = {}
            for tier in ("tf32", "half"):
                drawn = self.drawn(emulate=tier, distribution="normal")
                exact = drawn.outputs("outputs64")[0]
                errors[tier] = float((drawn.outputs("outputs_tier")[0].double() - exact).norm() / exact.norm())
            self.assertGreater(errors["tf32"], 1e-6, body)
            self.assertLess(errors["tf32"], 2e-3, body)
            self.assertGreater(errors["half"], 1.2 * errors["tf32"], body)

    def test_last_bits_matter_where_terms_cancel(self) -> None:
        errors = {}
        for body in ("(x[0] - x[1]).sum(0, keepdim=True)", "x[0].square().sum(0, keepdim=True)"):
            self.loaded(one(body, "torch.randn(1, 1024).repeat(2, 1) + torch.tensor([[0.0], [1e-3]]) * torch.randn(1024)"))
            drawn = self.drawn(emulate="last_bits")
            exact = drawn.outputs("outputs64")[0]
            errors[body] = float((drawn.outputs("outputs_tier")[0].double() - exact).abs() / exact.abs())
            self.assertLess(float((drawn.outputs()[0].double() - exact).abs() / exact.abs()), 1e-6)
        cancelling, positive = errors.values()
        self.assertGreater(cancelling, 1e-5)
        self.assertLess(positive, 1e-6)

    def test_the_worse_of_cut_and_rounded_operands_counts(self) -> None:
        # The mean of a product has one error that all its terms share: which of the two is the smaller one is chance.
        emulate = bridge("emulate")
        self.loaded(one("(x @ x.T).mean(0, keepdim=True)", "torch.rand(16, 64)"))
        worse = set()
        for seed in range(12):
            drawn = self.drawn(emulate="tf32", distribution="normal", seed=seed)
            exact = drawn.outputs("outputs64")[0]
            narrowed = [narrow(drawn.inputs()[0], 10) for narrow in emulate.NARROWINGS["tf32"]]
            errors = [float(((x @ x.T).mean(0, keepdim=True).double() - exact).norm()) for x in narrowed]
            found = float((drawn.outputs("outputs_tier")[0].double() - exact).norm())
            self.assertAlmostEqual(found, max(errors), delta=1e-3 * max(errors))
            worse.add(errors.index(max(errors)))
        self.assertIn(0, worse)

    def test_recurrences(self) -> None:
        for layer in ("LSTM", "GRU", "RNN"):
            self.loaded(f"""
                class Model(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.rnn = nn.{layer}(8, 8)
                    def forward(self, x): return self.rnn(x)[0]
                def get_inputs(): return [torch.randn(6, 3, 8)]
                """)
            drawn = self.drawn(emulate="tf32")
            native, tier, exact = (drawn.outputs(k)[0].double() for k in ("outputs", "outputs_tier", "outputs64"))
            self.assertLess(float((native - exact).norm()), 1e-5)
            self.assertGreater(float((tier - exact).norm()), 1e-5)

    def test_elementwise_programs_lose_nothing(self) -> None:
        self.loaded(one("x * 3"))
        drawn = self.drawn(emulate="half")
        self.assertTrue(torch.equal(drawn.outputs("outputs_tier")[0], drawn.outputs()[0]))


if __name__ == "__main__":
    unittest.main()
