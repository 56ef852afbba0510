"""The program at the sizes that were given: when PyTorch answers for them, and for which elements."""

from __future__ import annotations

import os
import struct
import unittest
from typing import Any

import torch
from reference_harness import BUDGET, Drawn, ReferenceTest

ROWS = """
    batch = {batch}
    wide = {wide}

    class Model(nn.Module):
        def __init__(self, wide):
            super().__init__()
            self.linear = nn.Linear(wide, 3)

        def forward(self, x, i=None):
            return {forward}

    def get_inputs():
        return [{inputs}]

    def get_init_inputs():
        return [wide]
"""


class GivenSizes(ReferenceTest):
    def given(self, forward: str, batch: int = 1 << 17, wide: int = 1024, inputs: str = "torch.randn(batch, wide)") -> Drawn:
        self.loaded(ROWS.format(batch=batch, wide=wide, forward=forward, inputs=inputs), budget=BUDGET)
        fd = os.memfd_create("given")
        try:
            return Drawn(self.child.ask({"cmd": "given_draw", "seed": 3, "call_seed": 4, "emulate": "tf32"}, [fd]), fd)
        finally:
            os.close(fd)

    def answers(self, positions: list[int]) -> Drawn:
        at, fd = os.memfd_create("positions"), os.memfd_create("answers")
        os.write(at, struct.pack(f"<{len(positions)}q", *positions))
        request: dict[str, Any] = {"cmd": "given_answers", "values": [{"output": 0, "count": len(positions), "positions": 0}]}
        try:
            return Drawn(self.child.ask(request, [at, fd]), fd)
        finally:
            os.close(at)
            os.close(fd)

    def part(self, drawn: Drawn, spec: dict[str, Any], shape: list[int]) -> torch.Tensor:
        return torch.frombuffer(bytearray(drawn.mapping[spec["offset"]:spec["offset"] + spec["drawn"]]), dtype=torch.float32).reshape(shape)

    def test_rows_are_drawn_and_answered_over_and_over(self) -> None:
        drawn = self.given("torch.relu(self.linear(x))")
        answer = drawn.answer
        self.assertEqual((answer["rows"], answer["outputs"][0]["shape"]), (13, [1 << 17, 3]))
        x = self.part(drawn, answer["inputs"][0], [13, 1024])
        weight = self.part(drawn, answer["weights"]["linear_weight"], [3, 1024])
        bias = self.part(drawn, answer["weights"]["linear_bias"], [3])
        want = torch.relu(x @ weight.T + bias)
        got = self.answers([0, 4, 13 * 3 + 1, (1 << 17) * 3 - 1])
        last = ((1 << 17) - 1) % 13
        expected = torch.stack([want[0, 0], want[1, 1], want[0, 1], want[last, 2]])
        torch.testing.assert_close(got.outputs()[0], expected, rtol=1e-4, atol=1e-4)
        self.assertEqual([len(got.answer[key]) for key in ("outputs64", "outputs_tier")], [1, 1])

    def test_small_enough_for_pytorch(self) -> None:
        drawn = self.given("x.cumsum(0)", batch=1 << 11)
        self.assertEqual((drawn.answer["rows"], drawn.answer["outputs"][0]["shape"]), (0, [1 << 11, 1024]))
        x = self.part(drawn, drawn.answer["inputs"][0], [1 << 11, 1024])
        torch.testing.assert_close(self.answers([5 * 1024 + 7]).outputs()[0][0], x[:6, 7].sum())

    def test_rows_that_depend_on_one_another(self) -> None:
        for forward in ("x - x.mean(0)", "x.cumsum(0)", "x.flip(0)", "torch.softmax(x, 0)"):
            answer = self.given(forward).answer
            self.assertIn("row by row", answer["why"])
            self.assertEqual((answer["data"], answer["inputs"][0]["shape"]), (False, [1 << 17, 1024]))

    def test_no_answers_for_random_numbers(self) -> None:
        self.assertIn("random", self.given("F.dropout(x, 0.5)").answer["why"])

    def test_integer_inputs_that_are_not_drawn_are_told(self) -> None:
        answer = self.given("x.mean(0) + i.sum()", inputs="torch.randn(batch, wide), torch.randint(0, 9, (4,))").answer
        self.assertTrue(answer["why"] and answer["data"])

    def test_the_small_program_is_as_it_was(self) -> None:
        self.given("torch.relu(self.linear(x))")
        shape = self.drawn().answer["inputs"][0]["shape"]
        self.assertLess(shape[0], 1 << 17)


if __name__ == "__main__":
    unittest.main()
