"""The knobs of a kernel file: which numbers at its launches may be others, and where they stand in the text."""

from __future__ import annotations

import unittest

from test_policy import load_bridge

load_bridge()

from ka_bridge import knobs  # noqa: E402

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f(x_ptr, n, BLOCK: tl.constexpr):\n    pass\n\n\n"


def found(body: str) -> list[tuple[str, str, int, list[str]]]:
    """Name, kind and value, and the lines on which the places are, each cut at the number."""
    text = HEAD + body
    out = []
    for knob in knobs.find(text):
        raw = text.encode()
        for begin, end in knob["places"]:
            assert raw[begin:end] == str(knob["value"]).encode(), raw[begin:end]
        around = [raw[raw.rfind(b"\n", 0, begin) + 1 : begin].decode().strip()[-14:] for begin, _ in knob["places"]]
        out.append((knob["name"], knob["kind"], knob["value"], around))
    return out


class Knobs(unittest.TestCase):
    def test_numbers_at_the_launch(self) -> None:
        text = "def kernel_function(x):\n    f[(triton.cdiv(x.numel(), 1024),)](x, x.numel(), BLOCK=1024, num_warps=4, num_stages=2)\n    return x\n"
        self.assertEqual(found(text), [("BLOCK", "block", 1024, ["div(x.numel(),", "umel(), BLOCK="]), ("num_warps", "warps", 4, ["24, num_warps="]),
                                       ("num_stages", "stages", 2, ["4, num_stages="])])

    def test_names_that_are_assigned_once(self) -> None:
        text = "BLOCK = 256\n\n\ndef kernel_function(x):\n    warps = 8\n    grid = (triton.cdiv(x.numel(), BLOCK),)\n    f[grid](x, x.numel(), BLOCK=BLOCK, num_warps=warps)\n    return x\n"
        self.assertEqual(found(text), [("BLOCK", "block", 256, ["BLOCK ="]), ("num_warps", "warps", 8, ["warps ="])])

    def test_names_with_the_same_number_are_knobs_of_their_own(self) -> None:
        text = ("def kernel_function(x):\n    rows = 64\n    columns = 64\n    y = blocks_of((x, [9, 9], [rows, columns]))\n"
                "    f[(triton.cdiv(9, rows) * triton.cdiv(9, columns),)](y, 9, BM=rows, BN=columns)\n    return y\n")
        self.assertEqual(found(text), [("BM", "block", 64, ["rows ="]), ("BN", "block", 64, ["columns ="])])

    def test_a_name_and_a_number_in_the_grid_are_one_knob(self) -> None:
        text = "def kernel_function(x):\n    b = 64\n    f[(triton.cdiv(9, 64),)](x, 9, BLOCK=b)\n    return x\n"
        self.assertEqual(found(text), [("BLOCK", "block", 64, ["b =", "(triton.cdiv(9,"[-14:]])])

    def test_a_grid_of_a_number_that_is_written_again(self) -> None:
        text = "def kernel_function(x):\n    grid = lambda meta: ((x.numel() + 255) // 256,)\n    f[grid](x, x.numel(), BLOCK=256)\n    return x\n"
        self.assertEqual(found(text), [("BLOCK", "block", 256, ["el() + 255) //", "umel(), BLOCK="])])

    def test_what_is_no_knob(self) -> None:
        rows = {
            "assigned twice": "def kernel_function(x):\n    b = 64\n    if x.numel() > 9:\n        b = 128\n    f[(1,)](x, 4, BLOCK=b)\n",
            "computed": "def kernel_function(x):\n    f[(1,)](x, 4, BLOCK=triton.next_power_of_2(x.numel()))\n",
            "an argument": "def kernel_function(x, b):\n    f[(1,)](x, 4, BLOCK=b)\n",
            "a loop's": "def kernel_function(x):\n    for b in (64, 128):\n        f[(1,)](x, 4, BLOCK=b)\n",
            "no power of two": "def kernel_function(x):\n    f[(1,)](x, 4, COUNT=3)\n",
            "true": "def kernel_function(x):\n    f[(1,)](x, 4, WIDE=True)\n",
            "one": "def kernel_function(x):\n    f[(1,)](x, 4, SPLITS=1)\n",
            "a plain call": "def kernel_function(x):\n    g(x, BLOCK=64)\n",
            "given by position": "def kernel_function(x):\n    f[(1,)](x, 64)\n",
            "a name of the function hides the module's": "B = 64\n\n\ndef kernel_function(x, B):\n    f[(1,)](x, 4, BLOCK=B)\n",
        }
        for name, text in rows.items():
            with self.subTest(name):
                self.assertEqual(found(text), [])

    def test_one_number_for_several_launches_is_one_knob(self) -> None:
        text = "def kernel_function(x):\n    b = 64\n    f[(1,)](x, 4, BLOCK=b)\n    f[(2,)](x, 4, BLOCK=b)\n    f[(triton.cdiv(9, 64),)](x, 4, BLOCK=64)\n"
        self.assertEqual([(name, len(places)) for name, _, _, places in found(text)], [("BLOCK", 1), ("BLOCK", 2)])

    def test_bytes_not_characters(self) -> None:
        text = 'NOTE = "größer"\n\n\ndef kernel_function(x):\n    größe = "ß"; f[(1,)](x, 4, num_warps=4)\n    return x\n'
        self.assertEqual(found(text)[0][:3], ("num_warps", "warps", 4))

    def test_what_is_no_python(self) -> None:
        for text in ("def f(:\n", "x = (" * 5000, "\0"):
            self.assertIn("refused", knobs.answer({"cmd": "knobs", "text": text}), text[:20])
        self.assertFalse(knobs.answer({"cmd": "merge"})["ok"])


if __name__ == "__main__":
    unittest.main()
