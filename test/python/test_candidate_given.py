"""Some programs at the sizes that were given: what is reserved, what runs, and what is concluded from it."""

from __future__ import annotations

import os
import struct
import unittest

import torch
from candidate_harness import DEVICE, Candidate, memory_file

HOST = """
    def kernel_function(x):
        y = {make}
        n = x.numel()
        {before}k[{grid}](x, y, n, B=256)
        return y
"""
DOUBLE = """
    @triton.jit
    def k(x, y, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
"""
LARGE = [1 << 12, 1 << 18]  # 2^30 elements


def spec(shape: list[int], dtype: str = "float32", size: int = 4) -> dict:
    return {"dtype": dtype, "shape": shape, "strides": [shape[1], 1], "nbytes": size * shape[0] * shape[1]}


@unittest.skipIf(DEVICE == "cuda", "with a GPU the given sizes are run as they are")
class Sampled(unittest.TestCase):
    def sampled(self, text: str, given: dict | None = None, arena: bytes | None = None) -> dict:
        """The answer of `sample`; "values" then hold (position, value) pairs."""
        with Candidate(text, 1) as child:
            request = {"cmd": "dry", "inputs": [given or spec(LARGE)], "weights": {}, "init_args": [], "seed": 1, "call_seed": 2}
            answer = child.ask(request, [memory_file(arena)] if arena else [])
            self.assertTrue(answer["ok"], answer)
            out = memory_file()
            keep = os.dup(out)
            answer = child.ask({"cmd": "sample"}, [out])
            self.assertTrue(answer["ok"], answer)
            data = os.pread(keep, 1 << 24, 0)
            os.close(keep)
        seen = answer["sampled"]
        for entry in seen.get("values", []):
            count = entry["count"]
            places = struct.unpack_from(f"<{count}q", data, entry["positions"])
            entry["pairs"] = dict(zip(places, struct.unpack_from(f"<{count}f", data, entry["offset"])))
        return seen

    def host(self, grid: str, make: str = "torch.empty_like(x)", before: str = "") -> str:
        return HOST.format(grid=grid, make=make, before=before)

    def test_few_programs_of_many_run_and_nothing_is_missing(self):
        seen = self.sampled(DOUBLE + self.host("(triton.cdiv(n, 256),)"))
        self.assertEqual((seen["unwritten"], seen["of"]), ([], (1 << 30) // 256))
        self.assertLessEqual(seen["programs"], 24)
        self.assertEqual(seen["values"][0]["count"], 256 * seen["programs"])
        self.assertIn((1 << 30) - 1, seen["values"][0]["pairs"])

    def test_a_grid_that_is_too_small(self):
        self.assertIn("output 0: 16384 of 1073741824 elements", self.sampled(DOUBLE + self.host("(64,)"))["unwritten"][0])
        self.assertIn("at most 1073741568 of", self.sampled(DOUBLE + self.host("(n // 256 - 1,)"))["unwritten"][0])

    def test_zeros_of_the_host_are_counted_apart(self):
        seen = self.sampled(DOUBLE + self.host("(64,)", "torch.zeros_like(x)"))
        self.assertEqual((seen["unwritten"], seen["mostly_zeros"][0]["written"]), ([], 16384))
        seen = self.sampled(DOUBLE + self.host("(64,)", "torch.ones_like(x)"))
        self.assertEqual((seen["unwritten"], seen["mostly_zeros"]), ([], []))

    def test_other_memory(self):
        seen = self.sampled(DOUBLE + self.host("(n // 256,)", before="r = torch.zeros_like(x)\n        ").replace("return y", "return r"))
        self.assertEqual(len(seen["untouched"]), 1)

    def test_offsets_that_overflow_and_stores_to_inputs(self):
        wide = spec([1 << 15, 1 << 17], "uint8", 1)
        seen = self.sampled(DOUBLE + self.host("(triton.cdiv(n, 256),)"), wide)
        self.assertTrue(seen["out_of_bounds"], seen)
        seen = self.sampled(DOUBLE + self.host("(triton.cdiv(n, 256),)").replace("(x, y, n", "(y, x, n"))
        self.assertEqual(seen["out_of_bounds"][0]["what"], "store")

    def test_programs_that_differ_or_synchronise_prove_nothing(self):
        half = DOUBLE.replace("mask=i < n)\n", "mask=(i < n) & (tl.program_id(0) % 4 == 1))\n")
        self.assertEqual(self.sampled(half + self.host("(n // 256 - 1,)"))["unwritten"], [])
        counted = DOUBLE.replace("        tl.store", "        tl.atomic_add(y, 0.0)\n        tl.store")
        seen = self.sampled(counted + self.host("(n // 256 - 1,)"))
        self.assertEqual((seen["unwritten"], seen["values"]), ([], []))

    def test_what_a_later_launch_may_change_is_no_answer(self):
        again = "k[(n // 256,)](x, y, n, B=256)\n        "
        seen = self.sampled(DOUBLE + self.host("(n // 512,)", before=again))
        self.assertLessEqual(seen["values"][0]["count"], 256 * 24)
        chained = "t = torch.empty_like(x)\n        k[(n // 256,)](x, t, n, B=256)\n        x = t\n        "
        self.assertTrue(self.sampled(DOUBLE + self.host("(n // 256,)", before=chained))["values"])
        shifted = DOUBLE.replace("x + i, mask=i < n", "x + (i + 123456789) % n, mask=i < n")
        self.assertEqual(self.sampled(shifted + self.host("(n // 256,)", before=chained))["values"], [])

    def test_a_program_that_goes_on_is_stopped(self):
        loop = """
    @triton.jit
    def k(x, y, n, B: tl.constexpr):
        for s in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):
            i = s + tl.arange(0, B)
            tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
"""
        seen = self.sampled(loop + self.host("(16,)"))
        self.assertEqual((seen["unwritten"], seen["values"]), ([], []))
        self.assertLess(seen["programs"], 16)

    def test_drawn_rows_are_repeated(self):
        rows = torch.arange(3 * 4096, dtype=torch.float32).reshape(3, 4096)
        given = spec([1 << 15, 4096]) | {"offset": 0, "drawn": rows.numel() * 4}  # 512 MiB: page by page
        for shape in ([1 << 15, 4096], [100, 4096]):
            given |= spec(shape)
            seen = self.sampled(DOUBLE + self.host("(n // 256,)"), given, rows.numpy().tobytes())
            pairs = seen["values"][0]["pairs"]
            self.assertTrue(all(value == 2 * float(rows[at // 4096 % 3, at % 4096]) for at, value in pairs.items()))

    def test_complete_launches_give_all_values(self):
        small = spec([4, 1024]) | {"offset": 0, "drawn": 4 * 4096}
        data = torch.randn(4, 1024)
        seen = self.sampled(DOUBLE + self.host("(n // 256,)"), small, data.numpy().tobytes())
        self.assertEqual((seen["programs"], seen["values"][0]["count"]), (16, 4096))


if __name__ == "__main__":
    unittest.main()
