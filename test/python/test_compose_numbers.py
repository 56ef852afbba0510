"""Kernels of several parts that differ in whole numbers only: which become one, and what is handed to it."""

from __future__ import annotations

import re
import unittest

from test_policy import load_bridge

load_bridge()

from ka_bridge import compose, compose_numbers, compose_part  # noqa: E402

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
TEXT = HEAD + """
@triton.jit
def wide_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i // 32 * 288, mask=i < 32 * n), mask=i < 32 * n)


def kernel_function(x):
    y = torch.empty_like(x)
    wide_kernel[(triton.cdiv(32 * x.shape[0], 64),)](
        x, y, x.shape[0], BLOCK=64, num_warps=4,
    )
    return y
"""
OTHER = TEXT.replace("288", "576").replace("// 32", "// 64").replace("32 *", "64 *")


def texts_of(*texts: str) -> list[str]:
    changed = compose_numbers.with_shared_numbers([compose_part.Part(i, f"part_{i}", text) for i, text in enumerate(texts)])
    return [changed.get(i, text) for i, text in enumerate(texts)]


def kernels(*texts: str) -> int:
    """How many the composed file has."""
    parts = [{"id": f"part_{i}", "text": text, "torch": False} for i, text in enumerate(texts)]
    answer = compose.answer({"cmd": "merge", "parts": parts, "calls": [], "returns": "x", "local": []})
    assert "kernels" in answer, answer
    return len(answer["kernels"])


class Numbers(unittest.TestCase):
    def test_two_become_one(self) -> None:
        first, second = texts_of(TEXT, OTHER)
        self.assertIn("def wide_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, N0: tl.constexpr):", first)
        self.assertIn("tl.load(x_ptr + i // N0 * (9*N0), mask=i < N0 * n), mask=i < N0 * n)", first)
        self.assertIn("        x, y, x.shape[0], BLOCK=64, num_warps=4, N0=32,\n", first)
        self.assertIn("[(triton.cdiv(32 * x.shape[0], 64),)](", first)  # host code keeps its numbers
        self.assertEqual(second, first.replace("N0=32", "N0=64").replace("cdiv(32", "cdiv(64"))
        self.assertEqual(kernels(TEXT, OTHER), 1)
        self.assertEqual(texts_of(OTHER, TEXT), [second, first])

    def test_equal_ones_and_single_ones_stay(self) -> None:
        self.assertEqual(texts_of(TEXT, TEXT), [TEXT, TEXT])
        self.assertEqual(texts_of(TEXT, OTHER.replace("tl.load(", "-tl.load(")), [TEXT, OTHER.replace("tl.load(", "-tl.load(")])

    def test_expressions(self) -> None:
        rows = (
            # numbers of the one, of the other, what is written for them
            ("8 16 72", "12 24 108", "N0 (2*N0) (9*N0)"),
            ("8 10 6", "12 14 10", "(N0 + 2) (N0 + 4) N0"),
            ("7 5 35", "3 4 12", "N1 N0 (N0*N1)"),
            ("3 9", "5 25", "N0 (N0*N0)"),
            ("8 200", "12 204", "N0 N1"),
            ("0 8", "1 8", "N0 8"),
            ("2 4", "3 5", "N0 (N0 + 2)"),
            ("16 16", "16 32", "16 N0"),
        )
        for one, other, wanted in rows:
            body = "tl.store(y_ptr + {}, tl.load(x_ptr))\n".format
            texts = [re.sub(r"    i = .*\n    tl.store.*\n", "".join(f"    {body(number)}" for number in numbers.split()), TEXT) for numbers in (one, other)]
            found = re.findall(r"y_ptr \+ (.*), tl.load\(x_ptr\)\)", texts_of(*texts)[0])
            self.assertEqual(" ".join(found), wanted, f"{one} and {other}")
            self.assertEqual(kernels(*texts), 1)

    def test_what_is_no_whole_number_stays(self) -> None:
        for old, new in (("* 288", "* 288.5"), ("mask=i < 32 * n)", "mask=True)"), ("x_ptr + i", "x_ptr + i * 1.0")):
            texts = (TEXT.replace(old, new), TEXT.replace(old, new.replace("288.5", "289.5").replace("True", "False").replace("1.0", "2.0")))
            self.assertEqual(texts_of(*texts), list(texts))

    def test_names_that_are_taken(self) -> None:
        first, second = (text.replace("n, BLOCK", "N0, BLOCK").replace("* n", "* N0") for text in (TEXT, OTHER))
        self.assertIn("N0, BLOCK: tl.constexpr, N1: tl.constexpr):", texts_of(first, second)[0])
        self.assertIn("num_warps=4, N1=64,", texts_of(first, second)[1])

    def test_who_does_not_take_part(self) -> None:
        outer = "@triton.jit\ndef outer(x_ptr, y_ptr, n):\n    wide_kernel(x_ptr, y_ptr, n, 64)\n\n"
        changes = {
            "referred to otherwise": ("    return y\n", "    other = wide_kernel\n    return y\n"),
            "called by a kernel": ("def kernel_function(x):\n", outer + "def kernel_function(x):\n    outer[(1,)](x, x, 1, num_warps=4)\n"),
            "handed a dictionary": ("num_warps=4,", "num_warps=4, **{}"),
            "handed a list": ("x, y, x.shape[0],", "*[x, y, x.shape[0]],"),
            "without keywords": (", BLOCK=64, num_warps=4,", ", 64,"),
            "with defaults": ("BLOCK: tl.constexpr)", "BLOCK: tl.constexpr = 64)"),
            "tuned": ("@triton.jit", "@triton.autotune(configs=[triton.Config({})], key=['n'])\n@triton.jit"),
        }
        for what, (old, new) in changes.items():
            texts = [text.replace(old, new) for text in (TEXT, OTHER)]
            self.assertNotEqual(texts, [TEXT, OTHER], what)
            self.assertEqual(texts_of(*texts), texts, what)

    def test_every_launch_hands_its_numbers(self) -> None:
        twice = TEXT.replace("    return y\n", "    wide_kernel[(1,)](y, x, 1, BLOCK=(32))  # again\n    return y\n")
        self.assertIn("    wide_kernel[(1,)](y, x, 1, BLOCK=(32), N0=32)  # again\n", texts_of(twice, OTHER)[0])

    def test_many_numbers_are_two_kernels(self) -> None:
        sums = [" + ".join(f"i // {number}" for number in numbers) for numbers in ((101, 211, 307, 401, 503, 601, 701), (17, 13, 97, 71, 31, 43, 29))]
        texts = [text.replace("x_ptr + i", f"x_ptr + {more} + i") for text, more in zip((TEXT, OTHER), sums)]
        self.assertEqual(texts_of(*texts), texts)

    def test_numbers_that_are_written_otherwise_keep_their_text(self) -> None:
        texts = [TEXT.replace("288", "0x120"), OTHER]
        self.assertEqual(texts_of(*texts), texts)


if __name__ == "__main__":
    unittest.main()
