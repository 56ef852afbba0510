"""Every row of the operator table against PyTorch, with the row's own sample calls (test/operators)."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "operators"))

import harness  # noqa: E402


class Operators(unittest.TestCase):
    def test_every_row_has_samples(self):
        missing = [name for name, row in harness.rows().items() if not harness.calls_of(name, row) and name not in harness.ELSEWHERE
                   and not name.startswith(tuple(harness.BY_PROBLEM))]
        self.assertEqual(missing, [])

    def test_every_sample_has_a_row(self):
        self.assertEqual(sorted(set(harness.SAMPLES) - set(harness.rows())), [])

    def test_what_no_call_reaches_is_reached_by_a_problem(self):
        for problem in [*harness.ELSEWHERE.values(), *harness.BY_PROBLEM.values()]:
            self.assertTrue((harness.ROOT / "test" / "problems" / problem).exists(), problem)

    @unittest.skipUnless(os.environ.get("KERNELAGENT_ALL_OPERATORS"), "2,500 calls in the interpreter take ten minutes: KERNELAGENT_ALL_OPERATORS=1 runs them")
    def test_every_row_computes_what_pytorch_computes(self):
        calls = [call for name, row in harness.rows().items() for call in harness.calls_of(name, row)]
        wrong = harness.check(calls)
        self.assertEqual([f"{call.row}  {call.text}: {why}" for call, why in wrong.items()], [])


if __name__ == "__main__":
    unittest.main()
