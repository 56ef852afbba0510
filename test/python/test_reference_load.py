"""The `load` command: what is found in a problem file, and the sentences for files that cannot be used."""

from __future__ import annotations

import errno
import unittest

import torch
import reference_harness as harness
from reference_harness import ReferenceTest

LINEAR = """
batch = 4
wide = 6
class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 3)
    def forward(self, x):
        return torch.relu(self.fc(x))
def get_inputs():
    return [torch.randn(batch, wide)]
def get_init_inputs():
    return [wide]
"""


class Finds(ReferenceTest):
    def test_kernelbench_format(self) -> None:
        answer = self.loaded(LINEAR)
        self.assertEqual(answer["kind"], "kernelbench")
        self.assertEqual(answer["inputs"], [{"name": "x", "spec": {"dtype": "float32", "shape": [4, 6], "strides": [6, 1],
                                                                    "nbytes": 96}}])
        self.assertEqual([(w["name"], w["argument"], w["kind"]) for w in answer["weights"]],
                         [("fc.weight", "fc_weight", "parameter"), ("fc.bias", "fc_bias", "parameter")])
        self.assertEqual((answer["structure"], answer["outputs"][0]["shape"]), ("tensor", [4, 3]))
        self.assertEqual(answer["sizes"]["given"], {"batch": 4, "wide": 6})
        self.assertFalse(answer["sizes"]["scaled"])
        self.assertEqual((answer["has_contraction"], answer["default_tier"], answer["init_args"]), (True, "fp32", [6]))
        self.assertEqual(answer["flops"], 2 * 4 * 6 * 3)

    def test_a_single_draw_looks_for_nothing_else(self) -> None:
        self.assertNotEqual(self.loaded(LINEAR)["variants"], [])
        answer = self.loaded(LINEAR, single_draw=True)
        self.assertEqual((answer["variants"], answer["more_distributions"]), ([], []))

    def test_missing_get_init_inputs_means_no_arguments(self) -> None:
        answer = self.loaded("""
            class Model(nn.Module):
                def forward(self, x): return x + 1
            def get_inputs(): return [torch.rand(3)]
            """)
        self.assertEqual(answer["weights"], [])

    def test_function_by_name(self) -> None:
        text = """
            def scale(x, factor): return x * factor
            def scale_inputs(): return [torch.rand(3, 4), 1.5]
            """
        answer = self.loaded(text, name="scale")
        self.assertEqual((answer["kind"], answer["inputs"][1]), ("function", {"name": "factor", "scalar": 1.5}))

    def test_module_class_and_instance_by_name(self) -> None:
        text = """
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(4, 4)
                def forward(self, x): return self.fc(x)
            ready = nn.Sequential(nn.Linear(4, 2), nn.Tanh())
            def get_inputs(): return [torch.rand(3, 4)]
            """
        self.assertEqual(self.loaded(text, name="Net")["kind"], "module")
        self.assertEqual(self.loaded(text, name="ready")["weights"][0]["argument"], "0_weight")

    def test_scalars_outputs_buffers_and_ties(self) -> None:
        answer = self.loaded("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.a = nn.Linear(4, 4, bias=False)
                    self.b = nn.Linear(4, 4, bias=False)
                    self.b.weight = self.a.weight
                    self.register_buffer("count", torch.zeros(1))
                    self.register_buffer("table", torch.arange(4.0), persistent=False)
                def forward(self, x, k, flag, nothing):
                    self.count += k
                    y = self.b(self.a(x)) + self.table
                    return y, y.argmax(-1), y > 0
            def get_inputs(): return [torch.rand(3, 4), 2, True, None]
            """)
        weights = {w["name"]: w for w in answer["weights"]}
        self.assertEqual(weights["b.weight"]["tied_to"], "a.weight")
        self.assertEqual([weights[n]["kind"] for n in ("count", "table")], ["buffer", "buffer"])
        self.assertEqual([i.get("scalar", "tensor") for i in answer["inputs"]], ["tensor", 2, True, None])
        self.assertEqual((answer["structure"], [o["dtype"] for o in answer["outputs"]]), ("tuple", ["float32", "int64", "bool"]))
        self.assertEqual(answer["updates_buffers"], ["count"])

    def test_facts(self) -> None:
        rows = [
            ("F.conv2d(x, self.w, padding=1)", "torch.rand(2, 3, 8, 8)", {"default_tier": "tf32", "has_contraction": True}),
            ("F.dropout(x, 0.5)", "torch.rand(4, 4)", {"draws_random": True, "has_contraction": False}),
            ("x", "torch.rand(4)", {"outputs_alias_inputs": True}),
            ("x.view(4)", "torch.rand(2, 2)", {"outputs_alias_inputs": True}),
            ("x.add_(1) * 2", "torch.rand(2, 2)", {"mutates_inputs": [0]}),
            ("F.scaled_dot_product_attention(x, x, x)", "torch.rand(1, 2, 8, 4)",
             {"draws_random": False, "has_contraction": True, "default_tier": "fp32"}),
            ("self.rnn(x)[0]", "torch.rand(5, 2, 4)", {"default_tier": "tf32", "has_contraction": True}),
            ("[x, x + 1]", "torch.rand(4)", {"structure": "list"}),
            ("torch.max(x, 1)", "torch.rand(4, 5)", {"structure": "tuple"}),
        ]
        for expression, sample, expected in rows:
            answer = self.loaded(f"""
                class Model(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.w = nn.Parameter(torch.randn(4, 3, 3, 3))
                        self.rnn = nn.GRU(4, 4)
                    def forward(self, x): return {expression}
                def get_inputs(): return [{sample}]
                """)
            self.assertEqual({k: answer[k] for k in expected}, expected, expression)

    def test_mode(self) -> None:
        text = """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.bn = nn.BatchNorm1d(4)
                def forward(self, x): return self.bn(x)
            def get_inputs(): return [torch.rand(8, 4)]
            """
        self.assertEqual(self.loaded(text)["updates_buffers"], ["bn.num_batches_tracked", "bn.running_mean", "bn.running_var"])
        self.assertEqual(self.loaded(text, mode="eval")["updates_buffers"], [])

    def test_statistics_that_happen_to_stay_the_same_are_updated_too(self) -> None:
        text = """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.bn = nn.BatchNorm1d(3)
                    self.register_buffer("gain", torch.ones(3))
                def forward(self, x): return self.bn(x * 0) * self.gain
            def get_inputs(): return [torch.rand(4, 3)]
            """
        self.assertEqual(self.loaded(text)["updates_buffers"], ["bn.num_batches_tracked", "bn.running_mean", "bn.running_var"])

    def test_dtypes(self) -> None:
        for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"):
            answer = self.loaded(f"""
                class Model(nn.Module):
                    def forward(self, x): return x.clone()
                def get_inputs(): return [torch.ones(3, dtype=torch.{name})]
                """)
            self.assertEqual(answer["outputs"][0]["dtype"], name)

    def test_sizes_are_tried_where_a_wrong_index_is_an_exception(self) -> None:
        from ka_bridge import cost, scale
        from ka_bridge.cost import Request
        from ka_bridge.problem import ProblemError
        from ka_bridge.sizes import SizedSource

        on_gpu = Request(None, "train", "cuda")
        self.assertEqual(cost.trial_device(on_gpu, [torch.ones(2), torch.ones(2, dtype=torch.int64)]), "cpu")
        self.assertEqual(cost.trial_device(on_gpu, [torch.ones(2), 3]), "cuda")
        # the device "meta" looks at no index, as a GPU that ends the process for one would not tell
        source = SizedSource("import torch\nfrom torch import nn\ntable = 64\nhigh = 64\n"
                             "class Model(nn.Module):\n    def forward(self, x, i): return nn.functional.embedding(i, x)\n"
                             "def get_inputs(): return [torch.randn(table, 4), torch.randint(0, high, (50,))]\n", "p.py")
        with self.assertRaises(ProblemError) as failed:
            scale._execute(source, Request(None, "train", "meta"), 0, {"table": 2, "high": 64}, [], None)
        self.assertEqual(failed.exception.kind, "forward_raises")

    def test_variants_are_other_shapes_that_run(self) -> None:
        self.assertEqual([v["name"] for v in self.loaded(LINEAR)["variants"]], ["batch=5", "batch=3", "batch=1"])
        answer = self.loaded("""
            batch = 8
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.bn = nn.BatchNorm1d(4)
                def forward(self, x): return self.bn(x)
            def get_inputs(): return [torch.rand(batch, 4)]
            """)
        self.assertEqual([v["name"] for v in answer["variants"]], ["batch=9", "batch=7"])


MODEL = "class Model(nn.Module):\n    def forward(self, x): return {}\n"
INPUTS = "def get_inputs(): return [{}]\n"


class Refuses(ReferenceTest):
    def simple(self, body: str, sample: str) -> str:
        return MODEL.format(body) + INPUTS.format(sample)

    def test_syntax_with_line(self) -> None:
        self.assertEqual(self.refused("x = 1\ndef f(:\n", "syntax", "syntax error")["line"], 5)
        self.assertEqual(self.refused("return 1\n", "syntax", "outside function")["line"], 4)

    def test_what_is_missing(self) -> None:
        self.refused(INPUTS.format("torch.rand(2)"), "no_model", "no class Model")
        self.refused("class Net(nn.Module): pass\n", "no_model", "Net", "file.py:Net")
        self.refused(MODEL.format("x"), "no_get_inputs", "get_inputs")
        self.refused(MODEL.format("x"), "no_model", "Other", name="Other")
        self.refused("Model = 3\n" + INPUTS.format("torch.rand(2)"), "no_model")
        self.refused("thing = 3\n" + INPUTS.format("torch.rand(2)"), "no_model", "neither", name="thing")

    def test_what_raises(self) -> None:
        error = self.refused(self.simple("x @ torch.rand(3, 3)", "torch.rand(2, 2)"), "forward_raises", "RuntimeError")
        self.assertEqual(error["line"], 5)
        self.refused("raise SystemExit(0)\n", "init_raises", "SystemExit")
        self.refused("""
            class Model(nn.Module):
                def __init__(self): raise ValueError("no\\nsuch thing")
            def get_inputs(): return []
            """, "init_raises", "constructor", "ValueError: no such thing")
        self.refused(MODEL.format("x") + "def get_inputs(): raise KeyboardInterrupt\n", "forward_raises", "KeyboardInterrupt")
        self.refused(self.simple("1 / 0", "torch.rand(2)"), "forward_raises", "ZeroDivisionError", budget={"elements": 9999, "flops": 9})

    def test_inputs_that_are_no_tensors(self) -> None:
        self.refused(self.simple("x", "[torch.rand(2)]"), "inputs_not_tensors", "input 0", "list")
        self.refused(self.simple("x", "'text'"), "inputs_not_tensors", "str")
        self.refused(MODEL.format("x") + "def get_inputs(): return {'x': 1}\n", "inputs_not_tensors", "dict")

    def test_what_is_unsupported(self) -> None:
        rows = [
            ("x", "torch.ones(2, dtype=torch.complex64)", "complex64"),
            ("torch.complex(x, x)", "torch.ones(2)", "complex64"),
            ("(x, 3.0)", "torch.ones(2)", "float"),
            ("x.to_sparse()", "torch.eye(2)", "sparse"),
            ("x.as_subclass(type('Sly', (torch.Tensor,), {}))", "torch.ones(2)", "Sly"),
            ("x", "nn.Parameter(torch.ones(2)).as_subclass(type('Sly', (torch.Tensor,), {}))", "Sly"),
            ("x", "float('nan')", "finite"),
        ]
        for body, sample, part in rows:
            self.refused(self.simple(body, sample), "unsupported", part)

    def test_nan_from_the_reference(self) -> None:
        self.refused(self.simple("torch.log(x - 5)", "torch.rand(3)"), "nan", "output 0")

    def test_shape_that_depends_on_values(self) -> None:
        self.refused(self.simple("x[x > 0]", "torch.randn(64)"), "data_dependent_shape", "depends on the values")
        self.refused(self.simple("x[: int(x.sum().item() * 3) % 50]", "torch.rand(64)"), "data_dependent_shape")
        self.refused(self.simple("x[: int(x.numpy().sum() * 99) % 50]", "torch.rand(64)"), "data_dependent_shape")

    def test_inner_shapes_may_depend_on_values(self) -> None:
        self.assertEqual(self.loaded(self.simple("x[x > 0].sum()", "torch.randn(64)"))["outputs"][0]["shape"], [])

    def test_cuda_that_is_not_there(self) -> None:
        if __import__("torch").cuda.is_available():
            self.skipTest("this machine has CUDA")
        self.refused(self.simple("x.cuda()", "torch.rand(3)"), "needs_cuda", "CUDA")
        self.refused(self.simple("x", "torch.rand(3, device='cuda')"), "needs_cuda")
        self.refused(self.simple("x", "torch.rand(3)"), "needs_cuda", device="cuda")

    def test_no_room_for_what_is_exchanged(self) -> None:
        # A file between the processes that may not grow is no defect of ours: other sizes may fit.
        answer = harness.bridge("reference").unforeseen(OSError(errno.EFBIG, "File too large"), "problem.py")
        self.assertEqual(answer["error"]["kind"], "memory")
        self.assertEqual(harness.bridge("reference").unforeseen(OSError(errno.EIO, "?"), "problem.py")["error"]["kind"], "internal")

    def test_memory(self) -> None:
        self.refused(self.simple("x.expand(1 << 50).clone()", "torch.rand(1)"), "memory")
        self.refused(MODEL.format("x") + "def get_inputs(): raise MemoryError\n", "memory")

    def test_draw_before_load(self) -> None:
        answer = self.child.draw().answer
        self.assertFalse(answer["ok"])

    def test_lives_on_after_a_refusal(self) -> None:
        self.refused("x = = 1", "syntax")
        self.loaded(LINEAR)
        self.assertEqual(self.child.close(), 0)


if __name__ == "__main__":
    unittest.main()
