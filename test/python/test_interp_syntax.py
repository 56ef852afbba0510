"""The Python inside kernels: what the CPU interpreter makes of it must be what the compiler makes of it."""
from __future__ import annotations

import unittest

import interp_harness  # noqa: F401  (first: patches the interpreter)
import torch
import triton
import triton.language as tl

HALF = tl.constexpr(0.5)
TWO = tl.constexpr(2)
NOTHING = tl.constexpr(None)


@triton.jit
def pick_larger(a, b):
    if a > b:
        return a
    else:
        return b


@triton.jit
def syntax_kernel(x_ptr, o_ptr, n, alpha, flag, N: tl.constexpr):
    i = tl.arange(0, N)
    inside = (i < n) and (i >= 2)
    total = tl.zeros((N,), dtype=tl.float32)
    for step in range(3):
        total += step.to(tl.float32)
    for step in tl.range(0, 4, 2, num_stages=2):
        total += step
    for step in tl.static_range(2):
        total += tl.full((N,), step, tl.float32)
    assert n < 0
    if flag and not (n == 0):
        total += 100.0
    half = tl.full((N,), 1.0, tl.float16) * alpha
    tl.static_assert(half.dtype == tl.float32)
    tl.store(o_ptr + i, tl.where(not inside, -1.0, total + half))


@triton.jit
def constants_kernel(x_ptr, o_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    for _ in range(TWO):
        x = HALF * x + TWO - HALF / x
    tl.store(o_ptr + i, tl.abs(tl.where(TWO < x, x, HALF * TWO)))


@triton.jit
def one_or_two(n):
    if n > 0:
        return 1
    return 2


@triton.jit
def names_kernel(o_ptr, n, N: tl.constexpr):
    """Stores 1 where the name is an int of the compiler, 0 where it is a tensor."""
    a, b = 1, 2.0
    c: tl.int32 = 1
    d: tl.constexpr = 1
    e: tl.constexpr = 1
    e += 1
    f = tl.arange(0, N).shape[0]
    is_int = (isinstance(a, int), isinstance(b, float), isinstance(c, int), isinstance(d, int), isinstance(e, int), isinstance(f, int),
              isinstance(TWO, int), isinstance(tl.arange(0, N).shape[0], int), isinstance(1 if n > 0 else 2, int),
              isinstance(1 if N > 0 else 2, int), isinstance(one_or_two(n), int), isinstance((a, b), tl.tuple), NOTHING is None,
              TWO.value == 2 and N.value == 8, isinstance(TWO, tl.constexpr), isinstance(n, tl.tensor))
    for k in tl.static_range(16):
        tl.store(o_ptr + k, is_int[k] + 0)


@triton.jit
def branch_on_block_kernel(o_ptr, N: tl.constexpr):
    if tl.arange(0, N) > 1:
        tl.store(o_ptr, 1.0)


@triton.jit
def assembly_kernel(o_ptr, N: tl.constexpr):
    x = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.arange(0, N)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(o_ptr + tl.arange(0, N), x)


class Syntax(unittest.TestCase):
    def test_reads_as_the_compiler_does(self) -> None:
        out = torch.zeros(8)
        syntax_kernel[(1,)](torch.zeros(8), out, 6, 0.5, True, 8)
        self.assertEqual(out.tolist(), [-1, -1] + [3 + 2 + 1 + 100 + 0.5] * 4 + [-1, -1])

    def test_global_constants(self) -> None:
        x = torch.rand(8) + 1
        got = torch.zeros(8)
        constants_kernel[(1,)](x, got, 8)
        for _ in range(2):
            x = 0.5 * x + 2 - 0.5 / x
        torch.testing.assert_close(got, torch.where(x > 2, x, 1.0))

    def test_names_hold_what_they_hold_in_compiled_code(self) -> None:
        out = torch.zeros(16)
        names_kernel[(1,)](out, 3, 8)
        self.assertEqual(out.tolist(), [0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1])

    def test_refusals(self) -> None:
        with self.assertRaisesRegex(Exception, "no single truth value"):
            branch_on_block_kernel[(1,)](torch.zeros(8), 8)
        with self.assertRaisesRegex(Exception, "inline assembly"):
            assembly_kernel[(1,)](torch.zeros(8, dtype=torch.int32), 8)
        with self.assertRaisesRegex(RuntimeError, "outside of the scope of a kernel"):
            pick_larger(1, 2)
        with self.assertRaisesRegex(ValueError, "forget to add @triton.jit"):
            tl.arange(0, 8)


if __name__ == "__main__":
    unittest.main()
