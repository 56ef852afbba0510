"""The Triton language in the CPU interpreter against PyTorch and against what an H200 was seen to do."""
from __future__ import annotations

import unittest
from typing import Any

import interp_harness  # noqa: F401  (first: patches the interpreter)
import numpy as np
import torch
import triton
import triton.language as tl

torch.manual_seed(0)

NAN, INF = float("nan"), float("inf")


@triton.jit
def narrow_kernel(x_ptr, y_ptr, o_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(o_ptr + i, x + y)
    tl.store(o_ptr + N + i, x * y)
    tl.store(o_ptr + 2 * N + i, x - y)
    tl.store(o_ptr + 3 * N + i, x / y)
    tl.store(o_ptr + 4 * N + i, x * 2.0)
    tl.store(o_ptr + 5 * N + i, tl.where(x > y, x, y))
    tl.store(o_ptr + 6 * N + i, tl.abs(x))
    tl.store(o_ptr + 7 * N + i, tl.maximum(x, y))
    tl.store(o_ptr + 8 * N + i, tl.exp(x.to(tl.float32)))
    tl.store(o_ptr + 9 * N + i, -x)
    tl.store(o_ptr + 10 * N + i, tl.fma(x, y, x))
    tl.store(o_ptr + 11 * N + i, tl.full((N,), 1.1, x.dtype) + (x == y).to(x.dtype))
    tl.store(o_ptr + 12 * N + i, i)


@triton.jit
def reductions_kernel(x_ptr, o_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(o_ptr, tl.max(x, axis=0))
    tl.store(o_ptr + 1, tl.min(x, axis=0))
    tl.store(o_ptr + 2, tl.argmax(x, axis=0).to(tl.float32))
    tl.store(o_ptr + 3, tl.argmin(x, axis=0).to(tl.float32))
    tl.store(o_ptr + 4, tl.sum(x.to(tl.float32), axis=0))


@triton.jit
def half_sum_kernel(x_ptr, o_ptr, N: tl.constexpr):
    tl.store(o_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N)), axis=0))


@triton.jit
def nan_kernel(x_ptr, y_ptr, o_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(o_ptr + i, tl.maximum(x, y))
    tl.store(o_ptr + N + i, tl.minimum(x, y))
    tl.store(o_ptr + 2 * N + i, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(o_ptr + 3 * N + i, tl.clamp(x, 0.0, 6.0))
    tl.store(o_ptr + 4 * N + i, tl.clamp(x, -1.0, 1.0))
    tl.store(o_ptr + 5 * N + i, tl.clamp(x, 0.0, 6.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(o_ptr + 6 * N + i, max(x, 0.0))


@triton.jit
def pick_larger(a, b):
    if a > b:
        return a
    else:
        return b


@triton.jit
def join_lines(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def combine_kernel(x_ptr, o_ptr, N: tl.constexpr, M: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :])
    tl.store(o_ptr + tl.arange(0, N), tl.reduce(x, 1, pick_larger))
    a, b = tl.associative_scan((x * 0 + 0.5, x), 1, join_lines)
    tl.store(o_ptr + N + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], b)


@triton.jit
def shapes_kernel(x_ptr, o_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(o_ptr + i, tl.sort(x))
    tl.store(o_ptr + N + i, tl.sort(x, descending=True))
    tl.store(o_ptr + 2 * N + i, tl.flip(x, 0))
    tl.store(o_ptr + 3 * N + i, tl.cumsum(x, axis=0))
    tl.store(o_ptr + 4 * N + i, tl.cumsum(x, axis=0, reverse=True))
    tl.store(o_ptr + 5 * N + i, tl.cumprod(x, axis=0))
    tl.store(o_ptr + 6 * N + i, tl.gather(x, N - 1 - i, 0))
    even, odd = tl.split(tl.reshape(x, (N // 2, 2)))
    tl.store(o_ptr + 7 * N + i, tl.interleave(odd, even))
    tl.store(o_ptr + 8 * N + tl.arange(0, 4), tl.topk(x, 4))
    tl.store(o_ptr + 9 * N + tl.arange(0, 8), tl.histogram((x * 2).to(tl.int32), 8, mask=x >= 0))


@triton.jit
def integers_kernel(x_ptr, y_ptr, o_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(o_ptr + i, x // y)
    tl.store(o_ptr + N + i, x % y)
    tl.store(o_ptr + 2 * N + i, x >> 3)
    tl.store(o_ptr + 3 * N + i, tl.umulhi(x, y))
    tl.store(o_ptr + 4 * N + i, x * 1664525 + 1013904223)


@triton.jit
def block_pointer_kernel(x_ptr, o_ptr, rows, columns, PADDING: tl.constexpr, N: tl.constexpr):
    block = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), (0, 0), (N, N), (1, 0))
    x = tl.load(block, boundary_check=(0, 1), padding_option=PADDING)
    tl.store(o_ptr + tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :], x)


@triton.jit
def descriptor_kernel(x_ptr, o_ptr, rows, columns, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[N, N])
    target = tl.make_tensor_descriptor(o_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[N, N])
    target.store([0, 0], source.load([0, 0]) * 2)
    target.atomic_add([0, 0], source.load([0, 0]))


@triton.jit
def atomic_kernel(x_ptr, o_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(o_ptr + i % 4, tl.load(x_ptr + i), mask=i < N - 4)


@triton.jit
def exchange_kernel(o_ptr, new, N: tl.constexpr):
    i = tl.arange(0, N)
    before = tl.atomic_xchg(o_ptr + i, new + i * 1.0, mask=i < 6)
    tl.atomic_cas(o_ptr + N, 0.0, before.sum() + 5.0)
    tl.atomic_cas(o_ptr + N + 1, -1.0, 5.0)
    tl.atomic_max(o_ptr + N + 2, -3.0)
    tl.atomic_min(o_ptr + N + 3, -3.0)


@triton.jit
def method_kernel(x_ptr, o_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(o_ptr + tl.arange(0, N), x.exp() + x.log() + x.sin() + x.erf() + x.sqrt_rn() + x.sigmoid() + x.floor() + x.cumsum(0))


def launch(kernel: Any, outputs: int, dtype: torch.dtype, *args: Any) -> torch.Tensor:
    """The last arguments after the inputs are constants; the output goes behind the tensors."""
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    out = torch.zeros(outputs, dtype=dtype)
    kernel[(1,)](*tensors, out, *args[len(tensors):])
    return out


class Narrow(unittest.TestCase):
    def test_elementwise_rounds_once_as_pytorch(self) -> None:
        for dtype in (torch.bfloat16, torch.float16):
            x, y = torch.randn(64).to(dtype), torch.randn(64).to(dtype)
            y[:4] = x[:4]
            got = launch(narrow_kernel, 13 * 64, dtype, x, y, 64).reshape(13, 64)
            fused = (x.double() * y.double() + x.double()).to(dtype)
            constant = torch.full((64,), 1.1, dtype=dtype) + (x == y).to(dtype)
            expected = [x + y, x * y, x - y, (x.float() / y.float()).to(dtype), x * 2, torch.maximum(x, y), x.abs(), torch.maximum(x, y),
                        x.float().exp().to(dtype), -x, fused, constant, torch.arange(64).to(dtype)]
            for row, (one, other) in enumerate(zip(got, expected)):
                self.assertTrue(torch.equal(one, other), (dtype, row, one, other))

    def test_reductions(self) -> None:
        for dtype in (torch.bfloat16, torch.float16, torch.float32):
            x = torch.randperm(256).to(dtype) / 4
            got = launch(reductions_kernel, 5, torch.float32, x, 256)
            self.assertEqual(got.tolist(), [x.max().item(), x.min().item(), x.argmax().item(), x.argmin().item(), x.float().sum().item()])

    def test_sums_of_narrow_types_are_rounded_at_every_step(self) -> None:
        for dtype in (torch.bfloat16, torch.float16):
            x = torch.ones(4096, dtype=dtype)
            self.assertEqual(launch(half_sum_kernel, 1, dtype, x, 4096).item(), 4096)
            x = torch.full((1024,), 1.01, dtype=dtype)
            got, exact = launch(half_sum_kernel, 1, dtype, x, 1024).item(), x.double().sum().item()
            self.assertNotEqual(got, torch.tensor(exact).to(dtype).item() + 1)
            self.assertLess(abs(got - exact) / exact, 0.02)
        overflow = torch.full((128,), 1000.0, dtype=torch.float16)
        self.assertEqual(launch(half_sum_kernel, 1, torch.float16, overflow, 128).item(), INF)

    def test_atomic_add_on_shared_addresses(self) -> None:
        for dtype in (torch.bfloat16, torch.float16, torch.float32):
            got = launch(atomic_kernel, 4, dtype, torch.ones(64, dtype=dtype), 64)
            self.assertEqual(got.tolist(), [15.0] * 4)


    def test_exchange_and_extremes_of_floats(self) -> None:
        out = torch.zeros(12)
        exchange_kernel[(1,)](out, 1.0, 8)
        self.assertEqual(out.tolist(), [1, 2, 3, 4, 5, 6, 0, 0, 5, 0, 0, -3])

    def test_methods_of_tensors(self) -> None:
        x = torch.rand(32) + 0.5
        want = x.exp() + x.log() + x.sin() + x.erf() + x.sqrt() + x.sigmoid() + x.floor() + x.cumsum(0)
        torch.testing.assert_close(launch(method_kernel, 32, torch.float32, x, 32), want)


class NotANumber(unittest.TestCase):
    def test_elementwise(self) -> None:
        x, y = torch.tensor([NAN, 1.0, NAN, 9.0]), torch.tensor([2.0, NAN, NAN, -9.0])
        rows = launch(nan_kernel, 28, torch.float32, x, y, 4).reshape(7, 4).tolist()
        expected = [[2, 1, NAN, 9], [2, 1, NAN, -9], [NAN, NAN, NAN, 9], [0, 1, 0, 6], [1, 1, 1, 1], [NAN, 1, NAN, 6], [0, 1, 0, 9]]
        for row, (got, wanted) in enumerate(zip(rows, expected)):
            self.assertTrue(np.array_equal(got, wanted, equal_nan=True), (row, got, wanted))

    def test_reductions_pass_over_it(self) -> None:
        x = torch.arange(256.0)
        x[17], x[255] = NAN, NAN
        got = launch(reductions_kernel, 5, torch.float32, x, 256)
        self.assertEqual(got[:2].tolist(), [254, 0])
        self.assertTrue(got[4].isnan())
        self.assertTrue(launch(reductions_kernel, 5, torch.float32, torch.full((256,), NAN), 256)[:2].isnan().all())


class Blocks(unittest.TestCase):
    def test_combining_functions(self) -> None:
        x = torch.randn(4, 8)
        got = launch(combine_kernel, 36, torch.float32, x, 4, 8)
        self.assertTrue(torch.equal(got[:4], x.max(1).values))
        line, expected = torch.zeros(4), []
        for column in range(8):
            line = line * 0.5 + x[:, column]
            expected.append(line)
        torch.testing.assert_close(got[4:].reshape(4, 8), torch.stack(expected, 1))

    def test_shapes_and_scans(self) -> None:
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            x = (torch.randint(-8, 16, (16,)) / 4).to(dtype)
            got = launch(shapes_kernel, 10 * 16, torch.float32, x, 16).reshape(10, 16)
            w = x.float()
            expected = [w.sort().values, w.sort(descending=True).values, w.flip(0), w.cumsum(0), w.flip(0).cumsum(0).flip(0), None, w.flip(0),
                        w.reshape(8, 2).flip(1).reshape(16)]
            for row, wanted in enumerate(expected):
                if wanted is not None:
                    self.assertTrue(torch.equal(got[row], wanted), (dtype, row, got[row], wanted))
            torch.testing.assert_close(got[5], w.cumprod(0), rtol=1e-2, atol=1e-3)
            self.assertTrue(torch.equal(got[8][:4], w.topk(4).values))
            self.assertEqual(got[9][:8].tolist(), [float(((w * 2).int()[w >= 0] == b).sum()) for b in range(8)])

    def test_integers_as_in_c(self) -> None:
        x = torch.tensor([7, -7, 7, -7, 2**31 - 1, -(2**31), 100, -100], dtype=torch.int32)
        y = torch.tensor([2, 2, -2, -2, 3, 3, 7, 7], dtype=torch.int32)
        got = launch(integers_kernel, 40, torch.int32, x, y, 8).reshape(5, 8)
        wide_x, wide_y = x.long(), y.long()
        quotient = torch.div(wide_x, wide_y, rounding_mode="trunc")
        high = [((a % 2**32) * (b % 2**32) >> 32) for a, b in zip(x.tolist(), y.tolist())]
        wrapped = ((wide_x * 1664525 + 1013904223 + 2**31) % 2**32 - 2**31)
        self.assertEqual(got[0].tolist(), quotient.tolist())
        self.assertEqual(got[1].tolist(), (wide_x - quotient * wide_y).tolist())
        self.assertEqual(got[2].tolist(), (wide_x >> 3).tolist())
        self.assertEqual([v % 2**32 for v in got[3].tolist()], high)
        self.assertEqual(got[4].tolist(), wrapped.tolist())

    def test_padding_of_block_pointers(self) -> None:
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            x = torch.randn(3, 5).to(dtype)
            for option, outside in (("nan", NAN), ("zero", 0.0), ("", 0.0)):
                got = torch.zeros(8, 8, dtype=dtype)
                block_pointer_kernel[(1,)](x, got, 3, 5, option, 8)
                expected = torch.full((8, 8), outside, dtype=dtype)
                expected[:3, :5] = x
                self.assertTrue(torch.equal(got.nan_to_num(77), expected.nan_to_num(77)), (dtype, option))

    def test_descriptors(self) -> None:
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            x, got = torch.ones(3, 8, dtype=dtype), torch.zeros(5, 8, dtype=dtype)
            descriptor_kernel[(1,)](x, got, 3, 8, 8)
            self.assertEqual(got.float().sum(1).tolist(), [24.0, 24.0, 24.0, 0, 0])


if __name__ == "__main__":
    unittest.main()
