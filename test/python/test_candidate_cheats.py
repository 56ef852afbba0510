"""Kernels that cheat or fail: what the candidate child reports about each."""

from __future__ import annotations

import unittest

import torch
from candidate_harness import DEVICE, Candidate

DOUBLE = """
    @triton.jit
    def double_kernel(x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

    def launch(x, y):
        double_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
        return y

"""


def body(text: str) -> str:
    """DOUBLE plus a kernel_function(x) with the given lines."""
    lines = "".join(f"        {line}\n" for line in text.strip().splitlines())
    return DOUBLE + "    def kernel_function(x):\n" + lines


def ran(text: str, *inputs, options=None, **run) -> dict:
    with Candidate(text, len(inputs), **(options or {})) as child:
        if not child.imported["ok"]:
            return child.imported
        return child.run(*inputs, **run)


X = torch.arange(100, dtype=torch.float32) + 1


class Denied(unittest.TestCase):
    """Computing outside Triton: by every spelling the operation is named, with its line."""

    CASES = {
        "operator": ("return launch(x, torch.empty_like(x)) + 0", "aten.add.Tensor"),
        "method": ("return x.mul(2)", "aten.mul.Tensor"),
        "functional": ("return torch.nn.functional.relu(x)", "aten.relu.default"),
        "in place": ("y = launch(x, torch.empty_like(x))\ny.add_(0)\nreturn y", "aten.add_.Tensor"),
        "out argument": ("y = torch.empty_like(x)\ntorch.mul(x, 2, out=y)\nreturn y", "aten.mul.out"),
        "conversion": ("return launch(x.half(), torch.empty_like(x))", "aten._to_copy"),
        "clone": ("y = x.clone()\nreturn launch(x, y)", "aten.clone"),
        "copy": ("y = torch.empty_like(x)\ny.copy_(x)\nreturn launch(x, y)", "aten.copy_"),
        "transposed copy": ("return launch(x.view(10, 10).t().contiguous(), torch.empty_like(x))", "aten.clone"),
        "item": ("return launch(x, torch.full_like(x, x[0].item()))", "torch.Tensor.item"),
        "tolist": ("return torch.tensor([2 * v for v in x.tolist()])", "torch.Tensor.tolist"),
        "numpy": ("return torch.from_numpy(x.numpy() * 2)", "torch.Tensor.numpy"),
        "numpy module": ("return torch.from_numpy(triton.runtime.interpreter.np.ones(100))", "torch.from_numpy"),
        "branch on data": ("return launch(x, torch.empty_like(x)) if x[0] > 0 else x", "aten.gt.Scalar"),
        "index": ("return x[torch.tensor([1, 0])]", "aten.index.Tensor"),
        "slice assignment": ("y = torch.empty_like(x)\ny[:] = x\nreturn launch(x, y)", "aten.copy_"),
        "random": ("return torch.rand(100)", "aten.rand.default"),
        "arange": ("return torch.arange(2, 202, 2)", "aten.arange.start_step"),
        "storage": ("y = torch.empty_like(x)\ny.set_(x.untyped_storage())\nreturn y", "torch.Tensor.untyped_storage"),
        "grid function": ("y = torch.empty_like(x)\n"
                          "double_kernel[lambda m: (int(torch.add(2, 0) * 0) + 2,)](x, y, 100, BLOCK=64)\nreturn y",
                          "aten.add.Tensor"),
    }

    def test_the_call_is_stopped(self):
        for name, (text, op) in self.CASES.items():
            with self.subTest(name):
                answer = ran(body(text), X)
                self.assertFalse(answer["ok"], answer)
                self.assertEqual(answer["error"]["kind"], "denied")
                self.assertEqual(answer["error"]["op"], op)
                self.assertRegex(answer["error"]["message"], r"k\.py:\d+")

    def test_swallowing_does_not_help(self):
        for handler in ("except Exception:\n    pass", "except BaseException:\n    pass", "except:\n    pass"):
            with self.subTest(handler):
                answer = ran(body(f"y = launch(x, torch.empty_like(x))\ntry:\n    y.add_(0)\n{handler}\nreturn y"), X)
                found = answer["denied"] if answer["ok"] else [answer["error"]]
                self.assertEqual(found[0]["op"], "aten.add_.Tensor")

    def test_in_a_kernel_body_in_hooks_and_in_heuristics(self):
        texts = {
            "body": DOUBLE.replace("tl.store(", "torch.mul(T, 2)\n        tl.store(") + "    T = torch.ones(3)\n",
            "heuristic": DOUBLE.replace(
                "    @triton.jit\n", '    @triton.heuristics({"BLOCK": lambda a: int(torch.mul(T, 2).sum()) + 64})\n'
                "    @triton.jit\n").replace(", BLOCK=64)", ")") + "    T = torch.zeros(3)\n",
            "hook": DOUBLE.replace(
                "    @triton.jit\n", "    def hook(args):\n        args['x'].mul_(1)\n\n"
                "    @triton.autotune(configs=[triton.Config({'BLOCK': 64}, pre_hook=hook)], key=[])\n"
                "    @triton.jit\n").replace(", BLOCK=64)", ")"),
        }
        if DEVICE == "cuda":
            del texts["body"]  # does not compile
        for name, text in texts.items():
            with self.subTest(name):
                answer = ran(text + "    def kernel_function(x):\n        return launch(x, torch.empty_like(x))\n", X)
                self.assertFalse(answer["ok"], answer)
                self.assertIn(answer["error"]["op"], ("aten.mul.Tensor", "aten.mul_.Tensor"))

    def test_subclasses_are_not_given_anything(self):
        answer = ran(body("""
class Lazy(torch.Tensor):
    pass
return x.as_subclass(Lazy)"""), X)
        self.assertTrue(not answer["ok"] or answer["structure"].startswith("other:Lazy"), answer)


class Memory(unittest.TestCase):

    def test_returning_an_input(self):
        answer = ran(body("launch(x, torch.empty_like(x))\nreturn x"), X)
        self.assertEqual(answer["outputs"][0]["aliases_input"], 0)
        answer = ran(body("launch(x, torch.empty_like(x))\nreturn x[10:]"), X)
        self.assertEqual(answer["outputs"][0]["aliases_input"], 0)

    def test_an_unwritten_tail_is_poison(self):
        text = body("y = torch.empty_like(x)\ndouble_kernel[(1,)](x, y, 100, BLOCK=64)\nreturn y")
        answer = ran(text, X)
        self.assertEqual(answer["outputs"][0]["poison"], 36)
        self.assertTrue(answer["results"][0][64:].isnan().all())
        answer = ran(text, X, poison="pattern")
        self.assertTrue((answer["results"][0][64:] - 12345.6789).abs().max() < 1e-3)

    def test_integer_and_bool_poison(self):
        for dtype in ("int32", "int64", "bool", "uint8", "float16", "bfloat16", "float64"):
            text = body(f"launch(x, torch.empty_like(x))\nreturn torch.empty(100, dtype=torch.{dtype})")
            one, other = ran(text, X), ran(text, X, poison="pattern")
            self.assertFalse(torch.equal(one["results"][0], other["results"][0]), dtype)
            self.assertFalse(one["outputs"][0]["touched_by_kernel"])

    def test_stores_outside(self):
        text = DOUBLE.replace("* 2, mask=i < n)", "* 2)") + """
    def kernel_function(x):
        return launch(x, torch.empty_like(x))
"""
        found = ran(text, X)["out_of_bounds"]
        self.assertEqual(len(found), 1)
        self.assertEqual((found[0]["side"], found[0]["byte"]), ("after", 0))
        if DEVICE == "cuda":  # seen afterwards, by the strip of known bytes
            self.assertGreaterEqual(found[0]["bytes"], 28)
            self.assertRegex(found[0]["what"], r"allocation 1 \(float32 \[100\], k\.py:\d+\)")
            return
        self.assertEqual((found[0]["what"], found[0]["kernel"], found[0]["elements"]), ("store", "double_kernel", 28))
        self.assertRegex(found[0]["memory"], r"allocation 1 \(float32 \[100\], k\.py:\d+\)")

    @unittest.skipIf(DEVICE == "cuda", "a GPU allocation has no fence in front")
    def test_stores_in_front(self):
        before = ran(DOUBLE.replace("tl.store(y + i", "tl.store(y + i - 2") + """
    def kernel_function(x):
        return launch(x, torch.zeros_like(x))
""", X)["out_of_bounds"]
        self.assertEqual((before[0]["side"], before[0]["byte"] < 4), ("before", True))

    def test_stores_outside_an_input(self):
        found = ran(DOUBLE + """
    @triton.jit
    def stray_kernel(x, n):
        tl.store(x + n, 0.0)

    def kernel_function(x):
        stray_kernel[(1,)](x, x.numel())
        return launch(x, torch.empty_like(x))
""", X)["out_of_bounds"]
        self.assertEqual([(f.get("memory", f["what"]), f["side"]) for f in found], [("input 0", "after")])

    def test_a_changed_input(self):
        answer = ran(body("y = launch(x, torch.empty_like(x))\nlaunch(x, x)\nreturn y"), X)
        self.assertEqual(answer["inputs_changed"], ["input 0"])
        answer = ran(body("y = launch(x, torch.empty_like(x))\nx.zero_()\nreturn y"), X)
        self.assertEqual(answer["inputs_changed"], ["input 0"])

    def test_answers_cached_by_address_or_identity_are_stale_on_reuse(self):
        for key in ("x.data_ptr()", "x.shape"):
            text = "    CACHE = {}\n" + body(f"""
if {key} not in CACHE:
    CACHE[{key}] = launch(x, torch.empty_like(x))
return CACHE[{key}]""")
            with Candidate(text, 1) as child:
                child.run(X)
                second = child.run(X + 1, reuse=True)
            self.assertTrue(torch.equal(second["results"][0], X * 2))
            self.assertEqual(second["launched"], 0)
            self.assertFalse(second["outputs"][0]["touched_by_kernel"])

    def test_reuse_keeps_the_objects(self):
        text = "    SEEN = []\n" + body("""
SEEN.append(x)
assert SEEN[0] is x and SEEN[0].data_ptr() == x.data_ptr()
return launch(x, torch.empty_like(x))""")
        with Candidate(text, 1) as child:
            child.run(X)
            second = child.run(X + 1, reuse=True)
        self.assertTrue(torch.equal(second["results"][0], (X + 1) * 2))

    def test_too_large_outputs(self):
        self.assertEqual(ran(body("return launch(x, torch.empty_like(x))"), X, outputs_limit=100)["error"]["kind"],
                         "too_large")


class Structure(unittest.TestCase):

    CASES = {
        "return None": "none",
        "return launch(x, torch.empty_like(x))": "tensor",
        "return (launch(x, torch.empty_like(x)),)": "tuple",
        "return [launch(x, torch.empty_like(x))]": "list",
        "return {'y_': x, 'a': (x, [x])}": "{'a': (_, [_]), 'y_': _}",
        "return (x, None), x": "((_, None), _)",
        "return {1: x}": "other:a dictionary whose keys are not plain words",
        "return (x, 3)": "other:int",
        "return (((((((((x,),),),),),),),),)": "other:more than 8 levels",
        "return torch.nn.Parameter(torch.empty_like(x))": "other:Parameter",
        "return 1.5": "other:float",
        "return torch.empty(3, device='meta')": "other:meta tensor",
    }

    def test_names(self):
        for text, name in self.CASES.items():
            with self.subTest(text):
                self.assertEqual(ran(body(text), X)["structure"], name)

    def test_a_strided_output_comes_as_row_major_bytes(self):
        answer = ran(body("return launch(x, torch.empty_like(x)).view(20, 5).t()"), X)
        self.assertEqual(answer["outputs"][0]["strides"], [1, 5])
        self.assertTrue(torch.equal(answer["results"][0], (X * 2).view(20, 5).t()))

    def test_unsupported_dtypes_are_named(self):
        answer = ran(body("return torch.empty(3, dtype=torch.complex64)"), X)
        self.assertEqual((answer["outputs"][0]["dtype"], answer["outputs"][0]["nbytes"]), ("complex64", 0))


class Launches(unittest.TestCase):

    def test_an_empty_grid_does_not_count(self):
        answer = ran(body("y = torch.zeros_like(x)\ndouble_kernel[(0,)](x, y, 100, BLOCK=64)\nreturn y"), X)
        self.assertEqual((answer["launched"], answer["outputs"][0]["touched_by_kernel"]), (0, False))

    def test_an_untouched_output(self):
        answer = ran(body("launch(x, torch.empty_like(x))\nreturn torch.full_like(x, 2.0)"), X)
        self.assertEqual((answer["launched"], answer["outputs"][0]["touched_by_kernel"]), (1, False))

    def test_a_kernel_of_another_file(self):
        answer = ran("    from triton.language.standard import zeros_like as elsewhere\n"
                     + body("y = torch.zeros_like(x)\nelsewhere[(1,)](x)\nreturn y"), X)
        self.assertFalse(answer["ok"] and answer["launched"] > 0, answer)

    def test_memory_from_nowhere(self):
        hidden = "with torch._C.DisableTorchFunction():\n    h = torch.from_numpy(x.cpu().numpy() * 1)\n"
        self.assertFalse(ran(body(hidden + "return launch(h.to(x.device), torch.empty_like(x))"), X)["ok"])
        answer = ran(body("return launch(torch.tensor([1.0] * 100, device='cuda'), torch.empty_like(x))"), X)
        self.assertEqual(answer["unknown_memory"], 1)
        answer = ran("    C = [torch.ones(100, device='cuda')]\n" + body("return launch(C[0], torch.empty_like(x))"), X)
        self.assertEqual(answer["unknown_memory"], 0)

    def test_launches_are_listed_once(self):
        answer = ran(body("y = torch.empty_like(x)\nfor _ in range(3):\n    launch(x, y)\nreturn y"), X)
        self.assertEqual((answer["launched"], len(answer["launches"]), answer["launches"][0]["launched"]), (3, 1, 3))


if __name__ == "__main__":
    unittest.main()
