"""Kernels of a call are compiled before it, by several processes, and nothing is launched: with Triton's compiler and a driver that only names a GPU."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget

from test_policy import load_bridge

load_bridge()

from ka_bridge import compile_ahead, module_loader  # noqa: E402

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\nSTATE = []\n"
KERNEL = """
@triton.jit
def add_{n}(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < count, other=0.0)
    tl.store(out_ptr + i, x + {n}.0, mask=i < count)
"""
ENTRY = """
def kernel_function(x):
    STATE.append("called")
    out = torch.empty_like(x)
    for kernel in [{names}]:
        kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
        kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    {last}
    return out
"""


class NamedGpu:
    """As much of a driver as the compiler asks for. Launching anything with it fails."""

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, _device: int) -> int:
        return 0


class CompileAhead(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.cache = os.path.join(self.folder, "cache")
        before = triton.knobs.cache.dir
        self.addCleanup(setattr, triton.knobs.cache, "dir", before)
        triton.knobs.cache.dir = self.cache
        driver = triton.runtime.driver
        self.addCleanup(setattr, driver, "_active", driver._active)
        driver.set_active(NamedGpu())
        cores = compile_ahead._cores
        self.addCleanup(setattr, compile_ahead, "_cores", cores)
        compile_ahead._cores = lambda: 3

    def entry(self, count: int, last: str = ""):
        path = os.path.join(self.folder, "kernel.py")
        names = ", ".join(f"add_{n}" for n in range(count))
        Path(path).write_text(HEAD + "".join(KERNEL.format(n=n) for n in range(count)) + ENTRY.format(names=names, last=last or "pass"))
        first = module_loader.import_source(path)
        about = {"entry": "kernel_function", "inputs": 1}
        return first, compile_ahead.second_import(path, about)

    def compiled(self) -> list[str]:
        return sorted(str(path) for path in Path(self.cache).rglob("*.cubin"))

    def test_each_kernel_once_in_the_cache(self) -> None:
        first, other = self.entry(5)
        x = torch.rand(300)
        self.assertEqual(compile_ahead.ahead(lambda: other.call(x)), 5)
        found = self.compiled()
        self.assertEqual(len(found), 5)
        self.assertEqual(first.STATE, [], "the first import was called")
        self.assertIs(sys.modules[module_loader.MODULE_NAME], first)
        times = [os.stat(path).st_mtime_ns for path in found]
        for n in range(5):  # the real call finds them
            getattr(first, f"add_{n}").warmup(x, x, 300, BLOCK=128, grid=(1,))
        self.assertEqual(self.compiled(), found)
        self.assertEqual([os.stat(path).st_mtime_ns for path in found], times)

    def test_few_kernels_are_left_alone(self) -> None:
        _, other = self.entry(3)
        self.assertEqual(compile_ahead.ahead(lambda: other.call(torch.rand(300))), 0)
        self.assertEqual(self.compiled(), [])

    def test_several_files_together_are_enough(self) -> None:
        _, two = self.entry(2)
        x = torch.rand(300)
        path = os.path.join(self.folder, "another.py")
        Path(path).write_text(HEAD + "".join(KERNEL.format(n=n) for n in (7, 8)) + ENTRY.format(names="add_7, add_8", last="pass"))
        others = compile_ahead.second_import(path, {"entry": "kernel_function", "inputs": 1})
        self.assertEqual(compile_ahead.ahead(lambda: two.call(x), lambda: others.call(x)), 4)
        self.assertEqual(len(self.compiled()), 4)

    def test_a_call_that_fails_leaves_nothing_behind(self) -> None:
        run = triton.runtime.jit.JITFunction.run
        _, other = self.entry(4, "raise ValueError('late')")
        self.assertEqual(compile_ahead.ahead(lambda: other.call(torch.rand(300))), 4)
        self.assertIs(triton.runtime.jit.JITFunction.run, run)
        self.assertEqual(len(self.compiled()), 4)

    def test_a_kernel_that_cannot_be_compiled_is_left_to_the_real_call(self) -> None:
        path = os.path.join(self.folder, "kernel.py")
        bad = "\n@triton.jit\ndef bad(x_ptr, out_ptr, count, BLOCK: tl.constexpr):\n    tl.nothing_like_this(x_ptr)\n"
        names = ", ".join([f"add_{n}" for n in range(3)] + ["bad"])
        Path(path).write_text(HEAD + "".join(KERNEL.format(n=n) for n in range(3)) + bad + ENTRY.format(names=names, last="pass"))
        other = compile_ahead.second_import(path, {"entry": "kernel_function", "inputs": 1})
        self.assertEqual(compile_ahead.ahead(lambda: other.call(torch.rand(300))), 4)
        self.assertEqual(len(self.compiled()), 3)


if __name__ == "__main__":
    unittest.main()
