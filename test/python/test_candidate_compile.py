"""The compile child: what compiles, what does not, and how it says so. Needs no GPU."""

from __future__ import annotations

import unittest

import torch
from candidate_harness import DEVICE, Candidate, Child, bridge, kernel_source, memory_file

KERNEL = """
    @triton.jit
    def a_kernel(x, y, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0.0)
        LINE
        tl.store(y + i, v, mask=i < n)

    def kernel_function(x):
        y = torch.empty_like(x)
        a_kernel[(1,)](x, y, x.numel(), BLOCK=128OPTIONS)
        return y
"""


def kernel(line: str = "v = v * 2", options: str = "") -> str:
    return KERNEL.replace("LINE", line).replace("OPTIONS", options)


def compiled(text: str, launches: list | None = None, x: torch.Tensor | None = None, arch: int = 90, filename: str = "k.py") -> list[dict]:
    """Runs the kernel in the interpreter, then compiles what was launched."""
    if launches is None:
        with Candidate(text, 1) as child:
            answer = child.run(torch.ones(100) if x is None else x)
            if DEVICE == "cuda" and not answer["ok"]:  # there the candidate itself meets the compiler
                assert answer["error"]["kind"] in ("compile", "raised"), answer
                return [{"ok": False, "error": answer["error"]["message"], "line": answer["error"]["line"],
                         "out_of_resources": answer["error"].get("out_of_resources", False)}]
            assert answer["ok"], answer
            launches = answer["launches"]
    with Child("compile_check") as child:
        answer = child.ask({"cmd": "compile", "filename": filename, "launches": launches,
                            "target": {"backend": "cuda", "arch": arch, "warp_size": 32}},
                           [memory_file(kernel_source(text).encode())])
    assert answer["ok"], answer
    return answer["kernels"]


class Compile(unittest.TestCase):

    def test_a_good_kernel(self):
        result, = compiled(kernel())
        self.assertTrue(result["ok"], result)
        self.assertGreater(result["registers"], 0)
        self.assertEqual((result["spills"], result["shared_bytes"]), (0, 0))

    def test_the_name_of_the_file_is_no_reason(self):
        for name in ("n\u00e4me with spaces; $(x).py", 'a "quoted" name.py', "back\\slash.py", "line\nbreak.py", "\u6838.py"):
            with self.subTest(name):
                result, = compiled(kernel(), filename=name)
                self.assertTrue(result["ok"], result)

    def test_python_that_the_compiler_refuses(self):
        for line in ("v = v + sum([2.0 for _ in range(3)])", "v = {1: v}[1]", "v = (lambda u: u)(v)",
                     "v = v + (0.0 if len(str(n)) else 1.0)"):
            with self.subTest(line):
                result, = compiled(kernel(line))
                self.assertFalse(result["ok"])
                self.assertEqual(result["line"], 11)
                self.assertNotIn("\n", result["error"])

    def test_an_unknown_option(self):
        result, = compiled(kernel(options=", num_warp=8"))
        self.assertIn("num_warp", result["error"])

    def test_a_block_that_is_no_power_of_two(self):
        text = kernel().replace("BLOCK=128", "BLOCK=100")
        with Candidate(text, 1) as child:
            answer = child.run(torch.ones(100))
        if answer["ok"]:
            result, = compiled(text, answer["launches"])
            self.assertRegex(result["error"], "power of 2")

    def test_too_much_shared_memory(self):
        text = """
    @triton.jit
    def dot_kernel(x, y, k, BK: tl.constexpr):
        m, n = tl.arange(0, 128), tl.arange(0, 256)
        acc = tl.zeros((128, 256), tl.float32)
        for start in range(0, k, BK):
            i = start + tl.arange(0, BK)
            acc = tl.dot(tl.load(x + m[:, None] * k + i[None, :]), tl.load(x + n[None, :] * k + i[:, None]), acc)
        tl.store(y + m[:, None] * 256 + n[None, :], acc)

    def kernel_function(x):
        y = torch.empty((128, 256), device=x.device)
        dot_kernel[(1,)](x, y, 64, BK=64, num_warps=8, num_stages=7)
        return y
"""
        result, = compiled(text, x=torch.ones(256, 64, dtype=torch.float16))
        self.assertRegex(result["error"], "shared memory")
        self.assertTrue(result["out_of_resources"])

    def test_a_kernel_that_is_made_at_run_time(self):
        launch = {"kernel": "elsewhere", "qualname": "elsewhere", "signature": {}, "constants": [], "options": {}}
        result, = compiled(kernel(), [launch])
        self.assertIn("elsewhere", result["error"])

    def test_the_file_cannot_be_imported(self):
        with Child("compile_check") as child:
            answer = child.ask({"cmd": "compile", "filename": "k.py", "launches": [],
                                "target": {"backend": "cuda", "arch": 90, "warp_size": 32}},
                               [memory_file(b"raise ValueError('no')\n")])
        self.assertEqual((answer["error"]["kind"], answer["error"]["message"]), ("import", "no"))

    def test_constants_of_all_kinds(self):
        text = """
    @triton.jit
    def twice(v):
        return v * 2

    @triton.jit
    def kinds_kernel(x, y, n, scale, shape, nothing, OP: tl.constexpr, TO: tl.constexpr, FLAG: tl.constexpr,
                     LOW: tl.constexpr, NAME: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        v = tl.load(x + i * shape[1], mask=i < shape[0], other=LOW)
        if nothing is None and FLAG and NAME == "twice":
            v = OP(v)
        tl.store(y + i, (v * scale).to(TO), mask=i < n)

    def kernel_function(x):
        y = torch.empty_like(x)
        kinds_kernel[(1,)](x, y, x.numel(), 0.5, (x.numel(), x.stride(0)), None, OP=twice, TO=tl.float32, FLAG=True,
                           LOW=float("-inf"), NAME="twice", BLOCK=128)
        return y
"""
        result, = compiled(text)
        self.assertTrue(result["ok"], result)


class Signature(unittest.TestCase):

    def test_types_agree_with_triton(self):
        signature = bridge("signature")
        try:
            from triton._C.libtriton import native_specialize_impl
            from triton.backends.nvidia.compiler import CUDABackend
        except ImportError:
            self.skipTest("this Triton has no native specialisation to compare with")
        import inspect
        param = signature.KernelParam(0, inspect.Parameter("x", inspect.Parameter.POSITIONAL_OR_KEYWORD), False, False)
        base = torch.ones(16, 16)
        values = [1, 0, 5, 16, -1, 2**31, 2**40, 2**63, 1.5, True, False, None, base, base[0, 1:], base.bool(),
                  base.to(torch.bfloat16), base.half(), base.double(), base.to(torch.uint8), base.long(), (1, base, 3)]
        for value in values:
            out = signature.Description()
            got = signature.type_of(value, param, [0], out)
            want = native_specialize_impl(CUDABackend, value, False, True, True)
            self.assertEqual(str(tuple(got) if isinstance(got, list) else got), str(want[0]))
            self.assertEqual(bool(out.aligned and out.aligned[0] == [0]), want[1] == "D")

    def test_constants_survive_json(self):
        import json
        import triton.language as tl
        signature = bridge("signature")
        for value in (1, -5, 2**62, 1.5, float("inf"), True, None, "text", tl.float32, torch.float16, (1, (2.5, None))):
            back = signature.decode(json.loads(json.dumps(signature.encode(value))), {})
            self.assertEqual(back, value)
            self.assertIs(type(back), type(value))


if __name__ == "__main__":
    unittest.main()
