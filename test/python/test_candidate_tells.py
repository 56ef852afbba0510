"""What a kernel can find out about its names, arguments and types: the compiler and the interpreter must answer alike.

Each row is a condition that the compiler decides before the kernel runs. One kernel asks them all; its answers are read off the compiler's
output, and off what the interpreter stored. A row that differs is a way for a kernel to behave otherwise when it is judged.
"""

from __future__ import annotations

import importlib.util
import pathlib
import re
import tempfile
import unittest

import torch
import triton
from candidate_harness import DEVICE, Candidate, kernel_source
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

CONDITIONS = """
len(n.shape) == 0
n.numel == 1
x.numel == 8
x.type.is_block()
n.type.is_block()
p.type.is_ptr()
p.dtype.is_ptr()
p.type.element_ty == tl.float32
(x > 0).dtype == tl.int1
tl.load(p).type.is_block()
tl.sum(x, 0).type.is_block()
len(tl.sum(x, 0).shape) == 0
tl.program_id(0).dtype == tl.int32
tl.program_id(0).type.is_block()
x[:, None].shape[1] == 1
isinstance(x.shape, tl.tuple)
len(x.type.shape) == 1
x.dtype.name == "fp32"
isinstance(x.dtype, tl.dtype)
isinstance(N + 1, int)
isinstance(N / 2, float)
isinstance(-N, int)
isinstance(N and 1, int)
isinstance(min(N, 4), int)
isinstance(tl.cdiv(N, 2), int)
isinstance(triton.cdiv(N, 2), int)
isinstance(triton.next_power_of_2(N), int)
isinstance(tl.constexpr(3), int)
isinstance(len(x.shape), int)
isinstance(int(N), int)
isinstance(float(N), float)
isinstance(const(), int)
isinstance(const2(N), int)
isinstance(const3(n), int)
isinstance(pair(n)[0], int)
isinstance(pair(n), tl.tuple)
isinstance(ident(3), int)
isinstance(ident(n), tl.tensor)
isinstance(ident(N), int)
isinstance(local_tuple[0], int)
isinstance(local_tuple, tl.tuple)
isinstance(n + 1, tl.tensor)
isinstance(N * n, tl.tensor)
isinstance(TWO * N, int)
isinstance(TWO * 2, int)
isinstance(x.shape[0] * 2, int)
isinstance(nothing, tl.tensor)
nothing is None
isinstance(one, int)
one == 1
isinstance(tl.zeros((1,), tl.float32), tl.tensor)
isinstance(tl.max(x, 0), tl.tensor)
isinstance(f64, tl.tensor)
f64.dtype == tl.float32
big.dtype == tl.int64
flag.dtype == tl.int1
isinstance((N, n)[0], int)
isinstance([N, n][0], int)
isinstance(x.T if False else 3, int)
isinstance(x.shape[0] if N > 1 else 3, int)
isinstance(N // 2 * 2 + N % 3, int)
isinstance(1 << N, int)
isinstance(~N, int)
isinstance(dflt(), int)
isinstance(dflt(n), int)
(n * 1.0).dtype == tl.float32
(n / 2).dtype == tl.float32
(x.to(tl.float16) * 2.0).dtype == tl.float16
(x.to(tl.float16) * f64).dtype == tl.float32
(x.to(tl.float16) * named).dtype == tl.float32
(x.to(tl.float16) * tl.sum(x, 0)).dtype == tl.float32
(big + 1).dtype == tl.int64
tl.where(n > 0, 1, 2).dtype == tl.int32
tl.where(x > 0, 1.0, 0).dtype == tl.float32
tl.min(x, 0).dtype == tl.float32
tl.sum(x > 0, 0).dtype == tl.int32
tl.sum(x.to(tl.int8), 0).dtype == tl.int32
tl.sum(x.to(tl.float16), 0).dtype == tl.float16
tl.max(x.to(tl.bfloat16), 0).dtype == tl.float32
tl.cumsum(x.to(tl.bfloat16), 0).dtype == tl.float32
tl.argmax(x, 0).dtype == tl.int32
tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16)).dtype == tl.float32
tl.atomic_add(p, 1.0).dtype == tl.float32
tl.load(p + tl.arange(0, N)).dtype == tl.float32
tl.load(bp).dtype == tl.int1
bp.dtype == tl.int1
bp.type.element_ty == tl.int8
tl.exp(x.to(tl.float64)).dtype == tl.float64
tl.cdiv(n, 2).dtype == tl.int32
isinstance(tl.arange(0, N).shape, tl.tuple)
x.shape[0] == N
isinstance(svar, int)
carried.dtype == tl.int32
""".strip().splitlines()

KERNEL = """
TWO = tl.constexpr(2)
@triton.jit
def const():
    return 5
@triton.jit
def const2(N: tl.constexpr):
    if N > 4:
        return 5
    else:
        return 6
@triton.jit
def const3(n):
    if n > 4:
        return 5
    else:
        return 5
@triton.jit
def pair(n):
    return 1, n
@triton.jit
def ident(a):
    return a
@triton.jit
def dflt(a=1):
    return a

@triton.jit
def kern(o, p, bp, n, one, f64, big, flag, nothing, N: tl.constexpr):
    x = tl.arange(0, N) * 1.0
    local_tuple = (1, n)
    named = 2.0
    carried = 0
    for loopvar in range(1):
        carried += 1
    for svar in tl.static_range(1):
        pass
""" + "".join(f"    if {condition}:\n        tl.store(o + {i}, 1.0)\n    else:\n        tl.store(o + {i}, 2.0)\n" for i, condition in enumerate(CONDITIONS))
HOST = f"""
def kernel_function(p):
    o = torch.zeros(({len(CONDITIONS)},), device=p.device)
    bp = torch.zeros((1,), dtype=torch.bool, device=p.device)
    kern[(1,)](o, p, bp, 3, 1, 2.0, 2**40, True, None, N=8)
    return o
"""
TYPES = {"o": "*fp32", "p": "*fp32", "bp": "*u1", "n": "i32", "one": "constexpr", "f64": "fp32", "big": "i64", "flag": "u1",
         "nothing": "constexpr", "N": "constexpr"}


def compiled_answers() -> list[float]:
    """The constants that the compiled kernel stores, in order."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tells.py"
        path.write_text(kernel_source(KERNEL))
        spec = importlib.util.spec_from_file_location("tells", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        source = ASTSource(module.kern, TYPES, {(4,): 1, (8,): None, (9,): 8}, {})
        text = triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ttir"]
    numbers = {name: float(value) for name, value in re.findall(r"(%\w+) = arith.constant (\S+) : f32", text)}
    offsets = {name: int(value) for name, value in re.findall(r"(%\w+) = arith.constant (\d+) : i32", text)}
    places = {name: offsets[offset] for name, offset in re.findall(r"(%\w+) = tt.addptr %o, (%\w+) :", text)} | {"%o": 0}
    stored = {places[place]: numbers[value] for place, value in re.findall(r"tt.store (%\w+), (%\w+) :", text)}
    return [stored[i] for i in range(len(CONDITIONS))]


class Tells(unittest.TestCase):

    @unittest.skipIf(DEVICE == "cuda", "compares the interpreter with the compiler")
    def test_the_compiler_and_the_interpreter_agree(self):
        with Candidate(KERNEL + HOST, 1) as child:
            answer = child.run(torch.zeros(64))
        self.assertTrue(answer["ok"], answer)
        got = answer["results"][0].tolist()
        want = compiled_answers()
        self.assertEqual(len(want), len(CONDITIONS))
        different = [condition for condition, a, b in zip(CONDITIONS, got, want) if a != b]
        self.assertEqual(different, [])


if __name__ == "__main__":
    unittest.main()
