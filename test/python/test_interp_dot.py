"""tl.dot in the CPU interpreter: operand types, accumulators, input precisions."""
from __future__ import annotations

import unittest

import interp_harness  # noqa: F401  (first: patches the interpreter)
import numpy as np
import torch
import triton
import triton.language as tl
from ka_bridge import interp_dot
from ka_bridge.interp_formats import bf16_to_f32, decode, encode, f32_to_bf16, tf32_round, tf32_truncate

SIZE = 32
OUT = {"fp16": torch.float16, "fp32": torch.float32}


@triton.jit
def dot_kernel(a, b, c, PRECISION: tl.constexpr, OUT_DTYPE: tl.constexpr, M: tl.constexpr):
    i = tl.arange(0, M)
    ij = i[:, None] * M + i[None, :]
    tl.store(c + ij, tl.dot(tl.load(a + ij), tl.load(b + ij), input_precision=PRECISION, out_dtype=OUT_DTYPE))


@triton.jit
def default_kernel(a, b, c, M: tl.constexpr):
    i = tl.arange(0, M)
    ij = i[:, None] * M + i[None, :]
    tl.store(c + ij, tl.dot(tl.load(a + ij), tl.load(b + ij)))


@triton.jit
def accumulate_kernel(a, b, c, M: tl.constexpr):
    i = tl.arange(0, M)
    ij = i[:, None] * M + i[None, :]
    acc = tl.full((M, M), 2.0, dtype=tl.float32)
    acc = tl.dot(tl.load(a + ij), tl.load(b + ij), acc)
    acc += tl.dot(tl.load(a + ij), tl.trans(tl.load(b + ij)))
    tl.store(c + ij, acc)


@triton.jit
def batched_kernel(a, b, c, B: tl.constexpr, M: tl.constexpr):
    i = tl.arange(0, M)
    at = tl.arange(0, B)[:, None, None] * M * M + i[None, :, None] * M + i[None, None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))


@triton.jit
def integer_kernel(a, b, c, M: tl.constexpr):
    i = tl.arange(0, M)
    ij = i[:, None] * M + i[None, :]
    tl.store(c + ij, tl.dot(tl.load(a + ij), tl.load(b + ij), out_dtype=tl.int32))


@triton.jit
def eight_bit_kernel(a, b, c, M: tl.constexpr):
    i = tl.arange(0, M)
    ij = i[:, None] * M + i[None, :]
    x = tl.load(a + ij).to(tl.float8e4nv)
    y = tl.load(b + ij).to(tl.float8e5)
    tl.store(c + ij, tl.dot(x, y.to(tl.float8e4nv)))


def draw(dtype: torch.dtype, seed: int = 0) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(SIZE, SIZE, generator=generator).to(dtype) for _ in range(2)]


def run(a: torch.Tensor, b: torch.Tensor, precision: str = "ieee", out: torch.dtype = torch.float32) -> torch.Tensor:
    c = torch.full((SIZE, SIZE), torch.nan, dtype=out)
    kind = {torch.float16: tl.float16, torch.float32: tl.float32, torch.float64: tl.float64}[out]
    dot_kernel[(1,)](a, b, c, precision, kind, SIZE)
    return c


def worst(got: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> float:
    """The largest error, in units of the sum of absolute products."""
    exact, size = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    return ((got.double() - exact).abs() / size).max().item()


class Operands(unittest.TestCase):
    def test_every_type(self) -> None:
        for dtype, out, limit in ((torch.bfloat16, torch.float32, 1e-6), (torch.float16, torch.float32, 1e-6), (torch.float32, torch.float32, 1e-6),
                                  (torch.float64, torch.float64, 1e-15), (torch.float16, torch.float16, 2e-3)):
            a, b = draw(dtype)
            c = run(a, b, out=out)
            self.assertEqual(c.dtype, out)
            self.assertLess(worst(c, a, b), limit, (dtype, out))

    def test_half_accumulator_is_rounded_on_the_way(self) -> None:
        a = torch.ones(SIZE, SIZE, dtype=torch.float16)
        a[:, 0] = 4096
        b = torch.full((SIZE, SIZE), 0.0625, dtype=torch.float16)
        got = run(a, b, out=torch.float16)
        step = np.float16(np.float32(4096 * 0.0625 + 15 * 0.0625))
        self.assertEqual(got[0, 0].item(), float(np.float16(np.float32(step) + 1.0)))

    def test_accumulator_argument_and_transposed_operand(self) -> None:
        for dtype in (torch.bfloat16, torch.float16):
            a, b = draw(dtype)
            c = torch.empty(SIZE, SIZE)
            accumulate_kernel[(1,)](a, b, c, SIZE)
            torch.testing.assert_close(c, 2 + a.float() @ b.float() + a.float() @ b.float().T, rtol=1e-5, atol=1e-4)

    def test_batches(self) -> None:
        a, b = torch.randn(4, 16, 16).bfloat16(), torch.randn(4, 16, 16).bfloat16()
        c = torch.empty(4, 16, 16)
        batched_kernel[(1,)](a, b, c, 4, 16)
        torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-5, atol=1e-5)

    def test_int8(self) -> None:
        a, b = (torch.randint(-128, 128, (SIZE, SIZE), dtype=torch.int8) for _ in range(2))
        c = torch.empty(SIZE, SIZE, dtype=torch.int32)
        integer_kernel[(1,)](a, b, c, SIZE)
        self.assertTrue(torch.equal(c, a.int() @ b.int()))

    def test_eight_bit_floats(self) -> None:
        a, b = (torch.randn(SIZE, SIZE) for _ in range(2))
        c = torch.empty(SIZE, SIZE)
        eight_bit_kernel[(1,)](a, b, c, SIZE)
        x, y = a.to(torch.float8_e4m3fn).float(), b.to(torch.float8_e5m2).to(torch.float8_e4m3fn).float()
        torch.testing.assert_close(c, x @ y, rtol=1e-5, atol=1e-5)


class Precisions(unittest.TestCase):
    def test_errors_are_those_of_the_names(self) -> None:
        a, b = draw(torch.float32)
        errors = {name: worst(run(a, b, name), a, b) for name in ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")}
        self.assertLess(1e-4, errors["tf32"])
        self.assertLess(errors["tf32"], 2e-3)
        self.assertLess(2e-7, errors["bf16x3"])
        self.assertLess(errors["bf16x3"], 1e-4)
        for name in ("tf32x3", "ieee", "bf16x6"):
            self.assertLess(errors[name], 5e-7, name)

    def test_default_is_tf32(self) -> None:
        a, b = draw(torch.float32)
        c = torch.empty(SIZE, SIZE)
        default_kernel[(1,)](a, b, c, SIZE)
        self.assertTrue(torch.equal(c, run(a, b, "tf32")))

    def test_tf32_reads_the_upper_bits_only(self) -> None:
        a = torch.eye(SIZE)
        b = (1 + torch.arange(SIZE * SIZE).reshape(SIZE, SIZE) * 2.0**-23).float()
        expected = torch.from_numpy(b.numpy().view(np.uint32) & np.uint32(0xFFFFE000)).view(torch.float32)
        self.assertTrue(torch.equal(run(a, b, "tf32"), expected))

    def test_infinity_and_nan_survive_the_splitting(self) -> None:
        for name in ("tf32", "tf32x3", "bf16x3", "bf16x6", "ieee"):
            a, b = torch.eye(SIZE), torch.ones(SIZE, SIZE)
            b[3, 3], a[5, 5] = torch.inf, torch.nan
            got = run(a, b, name)
            self.assertEqual(got[3, 3].item(), torch.inf, name)
            self.assertTrue(got[5].isnan().all(), name)

    def test_tf32_can_be_switched_off(self) -> None:
        a, b = draw(torch.float32)
        kept = dict(interp_dot._PRECISIONS)
        try:
            interp_dot.without_tf32()
            self.assertTrue(torch.equal(run(a, b, "tf32"), run(a, b, "ieee")))
        finally:
            interp_dot._PRECISIONS.update(kept)


class Formats(unittest.TestCase):
    def test_bfloat16_as_pytorch(self) -> None:
        bits = np.random.default_rng(0).integers(0, 2**32, 100000, dtype=np.uint64).astype(np.uint32)
        values = bits.view(np.float32)
        expected = torch.from_numpy(values.copy()).bfloat16().view(torch.int16).numpy().view(np.uint16)
        got = f32_to_bf16(values)
        nan = np.isnan(values)
        self.assertTrue(np.array_equal(got[~nan], expected[~nan]))
        self.assertTrue(np.isnan(bf16_to_f32(got[nan])).all())

    def test_eight_bit_floats_as_pytorch(self) -> None:
        codes = np.arange(256, dtype=np.uint8)
        values = (np.random.default_rng(0).standard_normal(20000) * 10.0**np.random.default_rng(1).uniform(-4, 2, 20000)).astype(np.float32)
        for name, dtype in (("fp8e5", torch.float8_e5m2), ("fp8e4nv", torch.float8_e4m3fn), ("fp8e4b8", torch.float8_e4m3fnuz),
                            ("fp8e5b16", torch.float8_e5m2fnuz)):
            expected = torch.from_numpy(codes).view(dtype).float().numpy()
            np.testing.assert_array_equal(decode(codes, name), expected)
            largest = np.nanmax(np.where(np.isinf(expected), np.nan, expected))
            inside = values[np.abs(values) <= largest]
            rounded = torch.from_numpy(inside).to(dtype).float().numpy()
            np.testing.assert_array_equal(decode(encode(inside, name), name), rounded)
            self.assertEqual(decode(encode(np.array([1e30], np.float32), name), name)[0], largest)

    def test_tf32(self) -> None:
        one, step = np.float32(1), np.float32(2.0**-10)
        values = np.array([1 + 2**-11, -(1 + 2**-11), 1 + 2**-11 - 2**-23, np.inf, np.nan, np.finfo(np.float32).max], dtype=np.float32)
        self.assertEqual(tf32_round(values)[:4].tolist(), [one + step, -(one + step), one, np.inf])
        self.assertTrue(np.isnan(tf32_round(values)[4]) and np.isnan(tf32_truncate(values)[4]))
        self.assertEqual(tf32_truncate(values)[:4].tolist(), [one, -one, one, np.inf])


if __name__ == "__main__":
    unittest.main()
