"""Operators that take the short way from the second time on give what the first time gave: values, wrapping, types, refusals."""
from __future__ import annotations

import unittest

import interp_harness  # noqa: F401  (first: patches the interpreter)
import numpy as np
import torch
import triton
import triton.language as tl
from ka_bridge import interp_rounding

N = 8


@triton.jit
def every_operator(a, b, out, c, OUT: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    for turn in range(3):
        x, y = tl.load(a + i), tl.load(b + j)
        z = tl.load(b)
        at = out + turn * 34 * N * N + i * N + j
        tl.store(at + 0 * N * N, (x + y).to(OUT))
        tl.store(at + 1 * N * N, (x - y).to(OUT))
        tl.store(at + 2 * N * N, (x * y).to(OUT))
        tl.store(at + 3 * N * N, (x // z + j * 0).to(OUT))
        tl.store(at + 4 * N * N, (x % z + j * 0).to(OUT))
        tl.store(at + 5 * N * N, (x < y).to(OUT))
        tl.store(at + 6 * N * N, (x <= y).to(OUT))
        tl.store(at + 7 * N * N, (x > y).to(OUT))
        tl.store(at + 8 * N * N, (x >= y).to(OUT))
        tl.store(at + 9 * N * N, (x == y).to(OUT))
        tl.store(at + 10 * N * N, (x != y).to(OUT))
        tl.store(at + 11 * N * N, (x & y).to(OUT))
        tl.store(at + 12 * N * N, (x | y).to(OUT))
        tl.store(at + 13 * N * N, (x ^ y).to(OUT))
        tl.store(at + 14 * N * N, (x + c + j * 0).to(OUT))
        tl.store(at + 15 * N * N, (c * x + j * 0).to(OUT))
        tl.store(at + 16 * N * N, (7 - x + j * 0).to(OUT))
        tl.store(at + 17 * N * N, (x // 7 + j * 0).to(OUT))
        tl.store(at + 18 * N * N, (x % -7 + j * 0).to(OUT))
        tl.store(at + 19 * N * N, ((x < y) & (x > z) | (y == 3)).to(OUT))
        tl.store(at + 20 * N * N, (3 > x).to(OUT) + j * 0)


def expected(a: np.ndarray, b: np.ndarray, c: int, out: np.dtype) -> np.ndarray:
    x, y = a[:, None], b[None, :]
    wide = np.promote_types(a.dtype, b.dtype)
    x, y, z = x.astype(wide), y.astype(wide), b[0].astype(wide)
    zero = np.zeros((N, N), dtype=np.int64)
    quotient = lambda p, q: np.trunc(p.astype(np.float64) / q).astype(np.int64)
    own = a[:, None]
    rows = [x + y, x - y, x * y, quotient(x, z) + zero, np.fmod(x, z) + zero, x < y, x <= y, x > y, x >= y, x == y, x != y, x & y, x | y, x ^ y,
            own + np.int32(c) + zero, np.int32(c) * own + zero, 7 - own + zero, quotient(own, 7) + zero, np.fmod(own, -7) + zero,
            (x < y) & (x > z) | (y == 3), (3 > own) + zero]
    return np.stack([np.broadcast_to(row, (N, N)).astype(out) for row in rows])


@triton.jit
def pointers(x, out, stride, N: tl.constexpr):
    for turn in range(3):
        at = x + 2
        tl.store(out + turn * N + tl.arange(0, N), tl.load(at + (tl.arange(0, N) - 1) * stride - 1 + turn * 0))


@triton.jit
def zero_divisor(out, zero, N: tl.constexpr):
    for turn in range(3):
        tl.store(out + turn * N + tl.arange(0, N), (tl.arange(0, N) + 5) // zero)


@triton.jit
def mixed(x, out, N: tl.constexpr):
    for turn in range(3):
        tl.store(out + tl.arange(0, N), tl.load(x + tl.arange(0, N)) + tl.arange(0, 2 * N))


@triton.jit
def loads(x, out, n, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    for turn in range(3):
        at = out + turn * 4 * N * N + i * N + j
        tl.store(at, tl.load(x + i * N + j, mask=j < n, other=0.0))
        tl.store(at + N * N, tl.load(x + i * N + j, mask=(i < n) & (j < n), other=-0.0))
        tl.store(at + 2 * N * N, tl.load(x + i * N + j, mask=i < n, other=float("-inf")))
        tl.store(at + 3 * N * N, tl.load(x + i * N + j, mask=i < n, other=0.1))


class ShortWay(unittest.TestCase):
    def test_loads_under_a_mask(self) -> None:
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            x = torch.randn(N, N).to(dtype)
            out = torch.zeros(3, 4, N, N, dtype=dtype)
            loads[(1,)](x, out, 5, N)
            rows, columns = torch.arange(N)[:, None] < 5, torch.arange(N)[None, :] < 5
            tenth = torch.tensor(0.1).to(dtype)
            want = torch.stack([torch.where(columns, x, 0.0), torch.where(rows & columns, x, -0.0), torch.where(rows, x, float("-inf")),
                                torch.where(rows, x, tenth)])
            self.assertTrue(torch.equal(out[0], want), dtype)
            for turn in (1, 2):  # bit for bit, the sign of zero too
                self.assertTrue(torch.equal(out[turn].view(torch.uint8), out[0].view(torch.uint8)), f"{dtype}, turn {turn}")

    def test_every_turn_gives_the_numbers_that_were_asked_for(self) -> None:
        a = np.array([-9, -7, -1, 0, 3, 5, 1000, -(2**31)], dtype=np.int64)
        b = np.array([3, -4, 7, 1, 2**31 - 1, 5, -1, 9], dtype=np.int64)
        for left in (np.int32, np.int64):
            for right in (np.int32, np.int64):
                with self.subTest(left=left, right=right):
                    x, y = a.astype(left), b.astype(right)
                    out = torch.zeros(3 * 34 * N * N, dtype=torch.int64)
                    every_operator[(1,)](torch.from_numpy(x), torch.from_numpy(y), out, 11, tl.int64, N)
                    turns = out.numpy().reshape(3, 34, N, N)[:, :21]
                    want = expected(x, y, 11, np.dtype(np.int64))
                    for turn in range(3):
                        for k in range(21):
                            np.testing.assert_array_equal(turns[turn, k], want[k], err_msg=f"operator {k}, turn {turn}")

    def test_addresses(self) -> None:
        for dtype in (torch.float32, torch.bfloat16, torch.int8, torch.bool):
            x = torch.arange(64).to(dtype)
            out = torch.zeros(3 * N, dtype=dtype)
            pointers[(1,)](x[8:], out, 3, N)
            want = torch.stack([x[8 + 2 + (k - 1) * 3 - 1] for k in range(N)]).repeat(3)
            self.assertTrue(torch.equal(out, want), dtype)

    def test_division_by_zero_depends_on_how_the_call_is_computed(self) -> None:
        plain, other = torch.zeros(3 * N, dtype=torch.int32), torch.zeros(3 * N, dtype=torch.int32)
        zero_divisor[(1,)](plain, 0, N)
        with interp_rounding.other():
            zero_divisor[(1,)](other, 0, N)
        self.assertFalse(torch.equal(plain, other))
        self.assertTrue((other == -1).all())

    def test_shapes_that_do_not_fit_are_refused(self) -> None:
        with self.assertRaises(Exception):
            mixed[(1,)](torch.zeros(64, dtype=torch.int32), torch.zeros(64, dtype=torch.int32), N)


if __name__ == "__main__":
    unittest.main()
