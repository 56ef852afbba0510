"""Forms of problems that must work: every way to name a program, every dtype, weights, modes, scaling."""

from __future__ import annotations

import re
import unittest

import program

HEAD = "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n"

# y = x * w (* g) + b, with everything of one row's length.
AFFINE_KERNEL = HEAD + """
@triton.jit
def affine(x_ptr, w_ptr, g_ptr, b_ptr, y_ptr, n, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask)
    w = tl.load(w_ptr + at % columns, mask=mask)
    g = tl.load(g_ptr + at % columns, mask=mask)
    tl.store(y_ptr + at, x * w * g + tl.load(b_ptr + at % columns, mask=mask), mask=mask)


def kernel_function(x, *, scale, gain, shift):
    y = torch.empty_like(x)
    affine[(triton.cdiv(x.numel(), 512),)](x, scale, gain, shift, y, x.numel(), x.shape[1], BLOCK=512)
    return y
"""

TIED_AND_BUFFERED = HEAD + """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(width))
        self.shift = self.scale
        self.register_buffer("gain", torch.rand(width))

    def forward(self, x):
        return x * self.scale * self.gain + self.shift

rows, width = 7, 33

def get_inputs():
    return [torch.randn(rows, width)]

def get_init_inputs():
    return [width]
"""

AXPY_KERNEL = HEAD + """
@triton.jit
def axpy(alpha, x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    out = alpha * tl.load(x_ptr + at, mask=mask) + tl.load(y_ptr + at, mask=mask)
    tl.store(out_ptr + at, out, mask=mask)


def kernel_function(alpha, x, y):
    out = torch.empty_like(x)
    axpy[(triton.cdiv(x.numel(), 1024),)](alpha, x, y, out, x.numel(), BLOCK=1024)
    return out
"""

# A class, an instance and a list of two outputs in one file; their inputs come from different functions.
NAMED = HEAD + """
class Net(nn.Module):
    def __init__(self, low):
        super().__init__()
        self.low = low

    def forward(self, x):
        return [torch.clamp(x, min=self.low), x.abs()]

instance = Net(-1.0)

def Net_inputs():
    return [torch.randn(50)]

def Net_init_inputs():
    return [-0.5]

def get_inputs():
    return [torch.randn(3, 40)]
"""

CLAMP_KERNEL = HEAD + """
@triton.jit
def clamp_abs(x_ptr, low, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask)
    tl.store(y_ptr + at, tl.where(x < low, low, x), mask=mask)
    tl.store(z_ptr + at, tl.abs(x), mask=mask)


def kernel_function(x):
    y, z = torch.empty_like(x), torch.empty_like(x)
    clamp_abs[(triton.cdiv(x.numel(), 64),)](x, LOW, y, z, x.numel(), BLOCK=64)
    return [y, z]
"""

# float64, float16, bfloat16, int64, int32, bool and three kinds of scalars; six outputs.
DTYPES = HEAD + """
def mix(d, h, b, l, i, t, factor, count, flag):
    return d * factor, h + 1, -b, l + count, i * 2, t ^ flag

def mix_inputs():
    n = 70
    return [torch.randn(n, dtype=torch.float64), torch.randn(n).half(), torch.randn(n).bfloat16(),
            torch.randint(-2 ** 40, 2 ** 40, (n,)), torch.randint(-1000, 1000, (n,), dtype=torch.int32),
            torch.rand(n) > 0.5, 1.25, 3, True]
"""

DTYPES_KERNEL = HEAD + """
@triton.jit
def scaled(x_ptr, y_ptr, n, a: tl.constexpr, c: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, x * a + c, mask=at < n)


@triton.jit
def flipped(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) == 0, mask=at < n)


def one(x, a, c):
    y = torch.empty_like(x)
    scaled[(1,)](x, y, x.numel(), a, c, BLOCK=triton.next_power_of_2(x.numel()))
    return y


def kernel_function(d, h, b, l, i, t, factor, count, flag):
    turned = torch.empty_like(t)
    flipped[(1,)](t, turned, t.numel(), BLOCK=triton.next_power_of_2(t.numel()))
    return one(d, factor, 0), one(h, 1, 1), one(b, -1, 0), one(l, 1, count), one(i, 2, 0), turned
"""

NORM_AND_DROPOUT = HEAD + """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.norm(x))

rows, width = 12, 20

def get_inputs():
    return [3 * torch.randn(rows, width) + 1]

def get_init_inputs():
    return [width]
"""

# Right in eval mode only: running statistics, no dropout.
NORM_EVAL_KERNEL = HEAD + """
@triton.jit
def norm(x_ptr, w_ptr, b_ptr, mean_ptr, var_ptr, y_ptr, n, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    c = at % columns
    x = tl.load(x_ptr + at, mask=mask) - tl.load(mean_ptr + c, mask=mask)
    x = x / tl.sqrt(tl.load(var_ptr + c, mask=mask, other=1.0) + 1e-5)
    tl.store(y_ptr + at, x * tl.load(w_ptr + c, mask=mask) + tl.load(b_ptr + c, mask=mask), mask=mask)


def kernel_function(x, norm_weight, norm_bias, norm_running_mean, norm_running_var):
    y = torch.empty_like(x)
    norm[(triton.cdiv(x.numel(), 128),)](x, norm_weight, norm_bias, norm_running_mean, norm_running_var, y, x.numel(),
                                         x.shape[1], BLOCK=128)
    return y
"""

LARGE_LINEAR_KERNEL = HEAD + """
@triton.jit
def rows(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM,), dtype=tl.float32)
    for n0 in range(0, N, BN):
        n = n0 + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k0 in range(0, K, BK):
            k = k0 + tl.arange(0, BK)
            x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
            w = tl.load(w_ptr + n[None, :] * K + k[:, None], mask=(n[None, :] < N) & (k[:, None] < K), other=0.0)
            acc = tl.dot(x, w, acc, input_precision="ieee")
        acc += tl.load(b_ptr + n, mask=n < N, other=0.0)[None, :]
        total += tl.sum(tl.where(n[None, :] < N, tl.sigmoid(acc), 0.0), axis=1)
    tl.store(y_ptr + m, total, mask=m < M)


def kernel_function(x, fc_weight, fc_bias):
    M, K = x.shape
    y = torch.empty((M, 1), dtype=x.dtype, device=x.device)
    rows[(triton.cdiv(M, 16),)](x, fc_weight, fc_bias, y, M, fc_weight.shape[0], K, BM=16, BN=64, BK=64)
    return y
"""


class ProblemForms(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = program.Folder()
        cls.addClassCleanup(folder.remove)
        problem = {"weights": TIED_AND_BUFFERED, "named": NAMED, "dtypes": DTYPES, "modes": NORM_AND_DROPOUT}
        paths = {name: str(folder.write(f"{name}.py", text)) for name, text in problem.items()}
        kernels = {"affine": AFFINE_KERNEL, "axpy": AXPY_KERNEL, "dtypes": DTYPES_KERNEL, "norm": NORM_EVAL_KERNEL,
                   "large": LARGE_LINEAR_KERNEL, "class": CLAMP_KERNEL.replace("LOW", "-0.5"),
                   "instance": CLAMP_KERNEL.replace("LOW", "-1.0")}
        kernels = {name: str(folder.write(f"k_{name}.py", text)) for name, text in kernels.items()}
        rows = {
            "weights": (paths["weights"], kernels["affine"], "--json"),
            "function": ("examples/axpy.py:axpy", kernels["axpy"], "--json"),
            "class": (f"{paths['named']}:Net", kernels["class"], "--json"),
            "instance": (f"{paths['named']}:instance", kernels["instance"], "--json"),
            "dtypes": (f"{paths['dtypes']}:mix", kernels["dtypes"], "--json"),
            "eval": (paths["modes"], kernels["norm"], "--mode", "eval"),
            "train": (paths["modes"], kernels["norm"], "--mode", "train"),
            "large": ("examples/large_linear.py", kernels["large"]),
        }
        cls.finished = program.run_all({
            name: lambda r=row: program.run("verify", "--device", "cpu", "--problem", r[0], "--kernel", *r[1:])
            for name, row in rows.items()})

    def accepted(self, name: str, kind: str) -> dict:
        done = self.finished[name]
        self.assertEqual((done.code, done.err), (0, ""), done.text())
        verdict = done.json()
        self.assertIs(verdict["accepted"], True)
        self.assertEqual(verdict["problem"]["kind"], kind)
        return verdict

    def test_weights_buffers_and_tied_weights(self) -> None:
        verdict = self.accepted("weights", "kernelbench")
        self.assertEqual(verdict["problem"]["given_sizes"], {"rows": 7, "width": 33})
        self.assertEqual(verdict["problem"]["verified_sizes"], {"rows": 7, "width": 33})
        self.assertFalse(verdict["problem"]["scaled"])
        self.assertFalse(verdict["specialised"])

    def test_function_with_a_scalar(self) -> None:
        self.assertTrue(self.accepted("function", "function")["problem"]["path"].endswith("axpy.py:axpy"))

    def test_class_by_name_returns_a_list(self) -> None:
        self.accepted("class", "module")

    def test_instance_by_name(self) -> None:
        self.accepted("instance", "module")

    def test_every_dtype_and_kind_of_scalar(self) -> None:
        verdict = self.accepted("dtypes", "function")
        self.assertFalse(verdict["problem"]["scaled"])

    def test_mode_decides_and_is_named(self) -> None:
        evaluated, trained = self.finished["eval"], self.finished["train"]
        self.assertEqual(evaluated.code, 0, evaluated.text())
        self.assertIn("eval mode", evaluated.out)
        self.assertIn("--mode eval", evaluated.out)
        self.assertEqual(trained.code, 1, trained.text())
        self.assertIn("as constructed", trained.out)
        self.assertIn("result.mismatch", trained.out)

    def test_large_problem_is_scaled_and_says_so(self) -> None:
        done = self.finished["large"]
        self.assertEqual(done.code, 0, done.text())
        self.assertIn("given batch_size=4096 in_features=8192 out_features=8192\n", done.out)
        verified = re.search(r"\n +verified batch_size=(\d+) in_features=(\d+) out_features=(\d+)\n", done.out)
        self.assertIsNotNone(verified, done.out)
        self.assertTrue(all(2 <= int(size) < 4096 for size in verified.groups()))


if __name__ == "__main__":
    unittest.main()
