"""One program's threads: what is found when it reads back what it stored, and what is not; what arguments are bound to."""

from __future__ import annotations

import unittest

from candidate_harness import DEVICE
from test_candidate_cheats import X, ran
from test_candidate_memory import with_kernel

interpreted = unittest.skipIf(DEVICE == "cuda", "single accesses are seen by the interpreter only")
HOST = "y = torch.zeros((256,), device=x.device)\nz = torch.zeros((512,), device=x.device)\nk[(1,)](x, y, z, 1{options})\nreturn y"
START = "x, y, z, one\ni = tl.arange(0, 128)\nv = tl.load(x + i, mask=i < 100, other=0.0)\n"


@interpreted
class Threads(unittest.TestCase):

    def races(self, lines: str, options: str = "") -> list[str]:
        answer = ran(with_kernel(START + lines, HOST.format(options=options)), X)
        self.assertTrue(answer["ok"], answer)
        return [race["what"] for race in answer["races"]]

    HAZARDS = {
        "neighbour": "tl.store(z + i, v)\ntl.store(y + i, tl.load(z + i + 1))",
        "smaller block": "tl.store(z + i, v)\nj = tl.arange(0, 64)\ntl.store(y + j, tl.load(z + j))",
        "other shape": "tl.store(z + i, v)\nj = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]\ntl.store(y + j, tl.load(z + j))",
        "scalar of a block": "tl.store(z + i, v)\ntl.store(y, tl.load(z + 5))",
        "block of a scalar": "tl.store(z, 5.0)\ntl.store(y + i, tl.load(z + i * 0))",
        "scalar used in a block": "tl.store(z, 5.0)\ntl.store(y + i, v + tl.load(z))",
        "scalar used in a block behind a barrier": "tl.store(z, 5.0)\na = tl.load(z)\ntl.debug_barrier()\ntl.store(y + i, v + a)",
        "one lane of many": "tl.store(z + i, v)\ntl.store(y + i, tl.load(z + tl.where(i == 77, 3, i)))",
        "second of two stores": "tl.store(z + i, v)\ntl.store(z + 127 - i, v)\ntl.store(y + i, tl.load(z + i))",
        "in a loop": "for s in range(3):\n    v = tl.load(z + (i + 1) % 128)\n    tl.store(z + i, v + 1.0)\ntl.store(y + i, v)",
    }
    HARMLESS = {
        "own lane": "tl.store(z + i, v)\ntl.store(y + i, tl.load(z + i))",
        "own lane in one dimension more": "tl.store(z + i, v)\nj = i[None, :]\ntl.store(y + j, tl.load(z + j))",
        "barrier": "tl.store(z + i, v)\ntl.debug_barrier()\ntl.store(y + i, tl.load(z + i + 1))",
        "atomic": "tl.store(z + i, v)\ntl.atomic_add(z + 400, 1.0)\ntl.store(y + i, tl.load(z + i + 1))",
        "elsewhere": "tl.store(z + i, v)\ntl.store(y + i, tl.load(z + 128 + i))",
        "masked": "tl.store(z + i, v, mask=i < 64)\ntl.store(y + i, tl.load(z + i + 1, mask=i >= 63))",
        "other places of the same range": "tl.store(z + 2 * i, v)\ntl.store(y + i, tl.load(z + 2 * i + 1))",
        "load before store": "v = tl.load(z + i + 1)\ntl.store(z + i, v)\ntl.store(y + i, v)",
        "scalars only": "tl.store(z, 5.0)\ntl.store(y, tl.load(z))",
    }

    def test_hazards(self):
        for name, lines in self.HAZARDS.items():
            with self.subTest(name):
                self.assertEqual(self.races(lines), ["a program loads what another of its threads stored, without tl.debug_barrier() in between"])

    def test_harmless(self):
        for name, lines in self.HARMLESS.items():
            with self.subTest(name):
                self.assertEqual(self.races(lines), [])

    def test_one_warp_runs_in_step(self):
        self.assertEqual(self.races(self.HAZARDS["neighbour"], ", num_warps=1"), [])

    def test_two_values_for_one_place(self):
        self.assertEqual(self.races("tl.store(y + i // 2, v)"), ["one store writes different values to the same place"])
        self.assertEqual(self.races("tl.store(y + i // 2, v, mask=i % 2 == 0)"), [])
        self.assertEqual(self.races("tl.store(y + i // 2, tl.full((128,), 2.0, tl.float32))"), [])
        self.assertEqual(self.races("tl.store(y + 127 - i, v)"), [])


class Bindings(unittest.TestCase):
    """What a kernel can tell about its arguments and names is what compiled code could tell."""

    CASES = {
        "one": ("isinstance(a, int)", "1", True),
        "two": ("isinstance(a, int)", "2", False),
        "true": ("isinstance(a, int)", "True", False),
        "none": ("a is None", "None", True),
        "one in a tuple": ("isinstance(a[0], int)", "(1, 2)", True),
        "two in a tuple": ("isinstance(a[1], int)", "(1, 2)", False),
        "float": ("a.dtype == tl.float32", "1.0", True),
        "large": ("a.dtype == tl.int64", "2**31", True),
        "huge": ("a.dtype == tl.uint64", "2**63", True),
        "flag": ("a.dtype == tl.int1", "False", True),
        "constant": ("isinstance(a, float)", "tl.constexpr(0.5)", True),
    }

    def test_arguments(self):
        for name, (condition, value, expected) in self.CASES.items():
            with self.subTest(name):
                kernel = f"y, a\ni = tl.arange(0, 128)\nif {condition}:\n    tl.store(y + i, 1.0)\nelse:\n    tl.store(y + i, 0.0)"
                answer = ran(with_kernel(kernel, f"y = torch.empty((128,), device=x.device)\nk[(1,)](y, {value})\nreturn y"), X)
                self.assertTrue(answer["ok"], answer)
                self.assertEqual(bool(answer["results"][0][0]), expected)

    def test_the_number_of_warps_is_a_constant(self):
        kernel = "y\nn: tl.constexpr = tl.extra.cuda.num_warps()\ni = tl.arange(0, n)\ntl.store(y + i, i * 0 + tl.extra.cuda.num_threads())"
        for warps in (1, 8):
            host = f"y = torch.zeros((8,), device=x.device)\nk[(1,)](y, num_warps={warps})\nreturn y"
            self.assertEqual(ran(with_kernel(kernel, host), X)["results"][0].sum(), warps * warps * 32)

    def test_a_list_is_no_argument(self):
        answer = ran(with_kernel("y, a\ntl.store(y, 1.0)", "y = torch.empty((1,), device=x.device)\nk[(1,)](y, [1, 2])\nreturn y"), X)
        self.assertFalse(answer["ok"])

    @interpreted
    def test_a_declared_type_must_fit(self):
        answer = ran(with_kernel("y, a: tl.int32\ntl.store(y, 1.0)", "y = torch.empty((1,), device=x.device)\nk[(1,)](y, 2**40)\nreturn y"), X)
        self.assertIn("does not fit", answer["error"]["message"])


if __name__ == "__main__":
    unittest.main()
