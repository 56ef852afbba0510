"""tools/run_tests.py itself: no test is lost where a suite is cut into parts, and what took longest is said."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import unittest


class First(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ready = True

    def test_a(self): self.assertTrue(self.ready)
    def test_b(self): self.assertTrue(self.ready)
    def test_c(self): self.fail("on purpose")


class Second(unittest.TestCase):
    def test_d(self): pass
    def test_e(self): self.skipTest("not here")
    def test_f(self): sum(range(3_000_000))
    def test_g(self): pass
"""


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_tests", ROOT / "tools" / "run_tests.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["run_tests"] = module  # its dataclasses ask for it
    spec.loader.exec_module(module)
    return module


class Suites(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.tool = load()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = Path(folder.name) / "test_numbers.py"
        cls.path.write_text(TESTS)

    def outcomes(self, parts: int, pattern: str = "") -> list:
        return [self.tool.run_unittest(f"system/test_numbers.{i}_of_{parts}", self.path, pattern) for i in range(1, parts + 1)]

    def test_parts_together_run_every_test_once(self) -> None:
        whole = self.tool.run_unittest("system/test_numbers", self.path, "")
        self.assertEqual((whole.passed, len(whole.failures), len(whole.skips)), (5, 1, 1))
        for parts in (2, 3):
            found = self.outcomes(parts)
            self.assertEqual((sum(one.passed for one in found), sum(len(one.failures) for one in found), sum(len(one.skips) for one in found)), (5, 1, 1))
            self.assertIn("on purpose", next(text for one in found for _, text in one.failures))
            self.assertTrue(all(one.passed for one in found), "a part has nothing to do")

    def test_a_part_obeys_the_words_that_were_asked_for(self) -> None:
        self.assertEqual([one.passed for one in self.outcomes(2, "test_d")], [1, 0])

    def test_processor_time_is_counted(self) -> None:
        self.assertGreater(self.tool.run_unittest("system/test_numbers", self.path, "test_f").cpu_seconds, 0.02)

    def test_names_of_parts(self) -> None:
        self.tool.PARTS["unit/x_test"] = 2
        self.assertEqual(self.tool.part_names("unit/x_test"), ["unit/x_test.1_of_2", "unit/x_test.2_of_2"])
        self.assertEqual([self.tool.part_of(name) for name in self.tool.part_names("unit/x_test")], [(0, 2), (1, 2)])
        self.assertEqual((self.tool.part_names("unit/other_test"), self.tool.part_of("unit/other_test")), (["unit/other_test"], (0, 1)))

    def test_every_name_of_the_lists_is_a_suite(self) -> None:
        names = list(self.tool.all_suites())
        for word in (*self.tool.PARTS, *self.tool.ALONE, *self.tool.LONG):
            self.assertTrue(any(name.startswith(word) for name in names), word)

    def test_the_end_says_what_took_longest(self) -> None:
        outcomes = [self.tool.Outcome(f"suite_{i}", seconds=10 * i, cpu_seconds=6) for i in range(1, 8)]
        self.assertEqual(self.tool.summary(outcomes, 300), "5.0 minutes, 0.7 of processors; longest: suite_7 70 s, suite_6 60 s, suite_5 50 s, suite_4 40 s, suite_3 30 s")


if __name__ == "__main__":
    unittest.main()
