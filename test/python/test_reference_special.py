"""Special values: inputs with NaN at a few places, and which outputs must then be NaN."""

from __future__ import annotations

import unittest

import torch
from reference_harness import ReferenceTest
from test_reference_draw import one


class SpecialValues(ReferenceTest):
    def special(self, body: str, sample: str = "torch.randn(16, 32)"):
        self.loaded(one(body, sample))
        drawn = self.drawn(distribution="special")
        self.assertTrue(drawn.answer["applicable"], drawn.answer.get("why"))
        return drawn

    def test_real_dependence_must_be_nan(self) -> None:
        for body in ("x * 2", "x.softmax(-1)", "x.sum(0)", "x.relu()", "x.clamp(-1, 1)", "x.amax(-1)", "x @ x.T",
                     "F.layer_norm(x, (32,))", "torch.sigmoid(x)", "x.cumsum(-1)"):
            drawn = self.special(body)
            out, undefined = drawn.outputs()[0], drawn.outputs("undefined")[0]
            self.assertTrue(bool(out.isnan().any()), body)
            self.assertFalse(bool(undefined.any()), body)

    def test_masked_positions_are_undefined(self) -> None:
        drawn = self.special("torch.tril(torch.ones(16, 16)) @ x", "torch.randn(16, 32)")
        out, undefined, finite = (drawn.outputs(k)[0] for k in ("outputs", "undefined", "finite64"))
        poisoned = drawn.inputs()[0].isnan()
        for column in range(32):
            rows = poisoned[:, column].nonzero().flatten().tolist()
            for row in range(16):
                expected = bool(rows) and row < min(rows)
                self.assertEqual(bool(undefined[row, column]), expected, (row, column))
                self.assertEqual(bool(out[row, column].isnan()), bool(rows))
        self.assertTrue(bool(finite[undefined].isfinite().all()))

    def test_a_nan_hidden_by_another_is_undefined(self) -> None:
        """`gate > 0` is False for NaN: the half that it hides does not count, whatever it holds."""
        self.loaded(one("(x + torch.where(gate > 0, 0.0, -torch.inf)[:, None]).flatten().softmax(-1)", "torch.randn(2, 64)",
                        ", torch.rand(2) + 1").replace("self, x", "self, x, gate"))
        seen = set()
        for seed in range(16):
            drawn = self.drawn(distribution="special", seed=seed)
            x, gate = drawn.inputs()
            hidden = bool((x.isnan().any(1) <= gate.isnan()).all())
            seen.add(hidden)
            undefined = drawn.outputs("undefined")[0].view(2, 64)[~gate.isnan()]
            self.assertEqual((bool(undefined.all()), bool(undefined.any())), (hidden, hidden))
            if hidden:
                shown = torch.where(gate.isnan()[:, None], -torch.inf, x).double().flatten().softmax(-1)
                torch.testing.assert_close(drawn.outputs("finite64")[0], shown)
        self.assertEqual(seen, {False, True})

    def test_nan_that_the_reference_removes(self) -> None:
        drawn = self.special("torch.nan_to_num(x) * 1.0")
        self.assertFalse(bool(drawn.outputs()[0].isnan().any()))
        self.assertFalse(bool(drawn.outputs("undefined")[0].any()))

    def test_integer_outputs_are_undefined_where_they_depend(self) -> None:
        drawn = self.special("x.argmax(-1)")
        rows = drawn.inputs()[0].isnan().any(-1)
        self.assertTrue(torch.equal(drawn.outputs("undefined")[0], rows))

    def test_nan_converted_to_an_integer_is_any_number(self) -> None:
        drawn = self.special("(torch.round(x / x.abs().amax(-1, keepdim=True) * 127).to(torch.int8), x * 2)")
        self.assertTrue(bool(drawn.outputs("undefined")[0].all()))
        self.assertFalse(bool(drawn.outputs("undefined")[1].any()))
        self.loaded(one("(x * 10).int() * 0.5", "torch.randn(16, 32)"))
        self.assertIn("cannot hold it", self.drawn(distribution="special").answer["why"])

    def test_infinities_only_in_elementwise_programs(self) -> None:
        self.assertTrue(bool(self.special("x * 0.5 + 1").inputs()[0].isinf().any()))
        self.assertFalse(bool(self.special("x.softmax(-1)").inputs()[0].isinf().any()))
        self.assertFalse(bool(self.special("x @ x.T").inputs()[0].isinf().any()))
        self.assertFalse(bool(self.special("x - x").inputs()[0].isinf().any()))

    def test_not_applicable(self) -> None:
        self.loaded(one("x + 1", "torch.randint(0, 9, (8,))"))
        self.assertFalse(self.drawn(distribution="special").answer["applicable"])


if __name__ == "__main__":
    unittest.main()
