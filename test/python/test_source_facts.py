"""What the text of a problem tells: operations in either spelling, chains, control flow; and the constructor that builds it again."""

from __future__ import annotations

import ast
import os
import unittest

import torch

import reference_harness as harness

route_facts = harness.bridge("route_facts")
route_words = harness.bridge("route_words")
constructor = harness.bridge("constructor")
source_answer = harness.bridge("source_answer")


def facts(text: str, target: str = "Model") -> dict:
    return route_facts.facts(ast.parse(harness.problem(text)), target)


def forward(*lines: str, init: str = "pass") -> str:
    body = "\n        ".join(lines)
    return f"class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        {init}\n    def forward(self, x):\n        {body}\n"


MODULES = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(4, 4, 3)
        self.act = nn.LeakyReLU()
        self.norm = nn.GroupNorm(2, 4)
        self.bn = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2)
    def forward(self, x):
        return self.pool(self.bn(self.norm(self.act(self.up(x)))))
"""
FUNCTIONS = """
def up(x, w):
    return F.conv_transpose2d(x, w)
class Model(nn.Module):
    def forward(self, x, w, m, v):
        x = up(x, w)
        x = F.leaky_relu(x)
        x = F.group_norm(x, 2)
        x = F.batch_norm(x, m, v)
        return torch.max_pool2d(x, 2)
"""


class Facts(unittest.TestCase):
    def test_modules_and_functions_count_alike(self):
        one, two = facts(MODULES), facts(FUNCTIONS)
        for name in ("op_names", "chain_length", "has_conv_transpose", "has_group_norm", "pool_ops", "act_ops", "has_control_flow"):
            self.assertEqual(one[name], two[name], name)
        self.assertEqual(one["op_names"], {"batch_norm": 1, "conv_transpose2d": 1, "group_norm": 1, "leaky_relu": 1, "max_pool2d": 1})
        self.assertEqual(one["chain_length"], 5)
        self.assertTrue(one["has_conv_transpose"] and not one["has_conv"])

    def test_spellings(self):
        for names in (("ReLU", "relu", "relu_"), ("ConvTranspose2d", "conv_transpose2d"), ("MSELoss", "mse_loss"), ("SiLU", "silu"),
                      ("CrossEntropyLoss", "cross_entropy"), ("RMSNorm", "rms_norm"), ("LogSoftmax", "log_softmax"), ("GELU", "gelu")):
            self.assertEqual({route_words.operation(name) for name in names}, {names[1]})

    def test_chain_follows_the_data(self):
        for length, lines in ((0, ["return x"]), (1, ["return x.relu()"]), (2, ["a = torch.exp(x)", "b = torch.sin(x)", "return a + b"]),
                              (3, ["n = x.shape[0] * 2 + 1", "y = torch.exp(x)", "y *= 2.0", "return y.sum(n % 2)"])):
            with self.subTest(lines):
                self.assertEqual(facts(forward(*lines))["chain_length"], length)

    def test_sizes_are_no_operations(self):
        self.assertEqual(facts(forward("b, t = x.size()", "return x.view(b * t // 2, -1)"))["op_names"], {})

    def test_attention_by_name_and_by_hand(self):
        by_hand = forward("w = torch.matmul(x, x.transpose(1, 2))", "w = F.softmax(w, -1)", "return w @ x")
        for text in (forward("return F.scaled_dot_product_attention(x, x, x)"), by_hand,
                     forward("return self.a(x, x, x)", init="self.a = nn.MultiheadAttention(8, 2)")):
            self.assertTrue(facts(text)["has_attention_like"], text)
        self.assertFalse(facts(forward("return torch.softmax(x @ x, -1)"))["has_attention_like"])

    def test_control_flow_with_its_lines(self):
        seen = facts(forward("for i in range(3):", "    x = x + 1", "return x if x.dim() else -x"))
        self.assertTrue(seen["has_control_flow"])
        self.assertEqual(seen["lines"]["control_flow"], [9, 11])
        self.assertFalse(facts(forward("return [x for _ in range(2)][0].relu()"))["has_control_flow"])

    def test_blocks_in_lists_and_makers_are_followed(self):
        seen = facts("""
            class Block(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.body = nn.Sequential(nn.Conv2d(4, 4, 3), nn.ReLU())
                def forward(self, x):
                    return self.body(x)
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.first = self._make(Block)
                def _make(self, block):
                    layers = []
                    layers.append(block())
                    return nn.Sequential(*layers)
                def forward(self, x):
                    return self.first(x)
            """)
        self.assertEqual(seen["op_names"], {"conv2d": 1, "relu": 1})
        self.assertEqual(seen["chain_length"], 2)

    def test_functions_that_call_each_other_end(self):
        text = "\n".join(f"def f{i}(x):\n    return f{i + 1}(f{i + 1}(x))" for i in range(40)) + "\ndef f40(x):\n    return f0(torch.relu(x))\n"
        self.assertGreater(facts(text, "f0")["chain_length"], 0)


class Refactored(harness.ReferenceTest):
    """A plan that computes something else is seen; rounding is not."""

    PROBLEM = """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(6, 5)
                self.bn = nn.BatchNorm1d(5, affine=False)
            def forward(self, x):
                return F.dropout(self.bn(self.fc(x)), 0.5)
        def get_inputs():
            return [torch.randn(16, 6)]
        """
    GOOD = """import torch
def forward(x, *, fc_weight, fc_bias, bn_running_mean, bn_running_var, bn_num_batches_tracked):
    mask = torch.empty(16, 5).bernoulli_(0.5)
    y = x @ fc_weight.T + fc_bias
    mean, var = y.mean(0), y.var(0, unbiased=False)
    bn_running_mean.copy_(0.9 * bn_running_mean + 0.1 * mean)
    bn_running_var.copy_(0.9 * bn_running_var + 0.1 * y.var(0))
    bn_num_batches_tracked.add_(1)
    return (y - mean) / torch.sqrt(var + 1e-5) * mask / 0.5
"""

    def difference(self, text: str) -> str:
        fd = os.memfd_create("refactored")
        os.write(fd, text.encode())
        try:
            answer = self.child.ask({"cmd": "refactored", "seed": 3}, [fd])
        finally:
            os.close(fd)
        self.assertTrue(answer["ok"], answer)
        return answer["difference"] or answer.get("unchecked", "")

    def test_differences(self):
        self.loaded(self.PROBLEM)
        self.assertEqual(self.difference(self.GOOD), "")
        for old, new, says in (("torch.sqrt(var + 1e-5)", "(var + 2)", "output 0: mean error"), ("/ 0.5", "/ 0.5, y", "a tuple of 2"), ("y.var(0))", "y.var(0) * 3)", "buffer bn.running_var"),
                               ("add_(1)", "add_(2)", "buffer bn.num_batches_tracked: 100.0% of the elements"), (" / 0.5", ".double()", "torch.float64"),
                               ("x @ fc_weight.T", "x @ fc_weight", "RuntimeError"), ("bernoulli_(0.5)", "bernoulli_(0.9)", "output 0")):
            with self.subTest(new):
                self.assertIn(says, self.difference(self.GOOD.replace(old, new)))

    # x + far loses most of x in float32: at 1e5 the result is 1% off, at 1e7 it is noise.
    CANCELS = "class Model(nn.Module):\n    def forward(self, x):\n        return (x + {0}) - {0}\ndef get_inputs():\n    return [torch.rand(64, 64) * 0.2]\n"
    OTHERWISE = "def forward(x):\n    return x * {}\n"

    def test_an_ill_conditioned_program_is_held_against_its_own_error(self):
        self.loaded(self.CANCELS.format("1e5"))
        self.assertEqual(self.difference(self.OTHERWISE.format("1.0")), "")
        self.assertIn("output 0: mean error", self.difference(self.OTHERWISE.format("1.7")))

    def test_nothing_is_told_where_the_answer_is_noise(self):
        self.loaded(self.CANCELS.format("4e6"))
        self.assertIn("ill-conditioned", self.difference(self.OTHERWISE.format("1.0")))


class Parse(unittest.TestCase):
    def test_says_whether_a_text_is_python_and_where_it_is_not(self):
        self.assertEqual(source_answer.parse("x = 1\n")["syntax_error"], "")
        self.assertIn("line 2: ", source_answer.parse("x = 1\na.0.b = x\n")["syntax_error"])
        self.assertNotEqual(source_answer.parse("x = '\0'")["syntax_error"], "")
        self.assertNotEqual(source_answer.parse("(" * 3000 + ")" * 3000)["syntax_error"], "")


class Constructor(unittest.TestCase):
    TEXT = harness.problem("""
        import math
        width = 4
        depth = 2
        unused = 7
        def scaled(n):
            return int(math.sqrt(n * n))
        class Layer(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.w = nn.Parameter(torch.randn(n, scaled(width)))
            def forward(self, x):
                return x @ self.w
        class Model(nn.Module):
            def __init__(self, n):
                super(Model, self).__init__()
                self.layers = nn.ModuleList([Layer(n) for _ in range(depth)])
                self._init_weights()
            def _init_weights(self):
                nn.init.normal_(self.layers[0].w)
            def forward(self, x):
                return self.other(x)
            def other(self, x):
                return self.layers[1](x)
        """)

    def test_same_names_and_same_values_from_the_same_seed(self):
        parts = constructor.parts(self.TEXT, "Model", "ModelNew")
        built: dict = {"torch": torch}
        exec("\n".join([*parts["imports"], *parts["definitions"], parts["class"]]), built)
        original: dict = {}
        exec(self.TEXT, original)
        torch.manual_seed(3)
        one = original["Model"](4).state_dict()
        torch.manual_seed(3)
        two = built["ModelNew"](4).state_dict()
        self.assertEqual(list(one), list(two))
        for name in one:
            self.assertTrue(torch.equal(one[name], two[name]), name)

    def test_what_computes_is_left_out(self):
        parts = constructor.parts(self.TEXT, "Model", "ModelNew")
        whole = "\n".join([*parts["imports"], *parts["definitions"], parts["class"]])
        for text in ("def forward", "def other", "unused", "functional", "Model)", " Model"):
            self.assertNotIn(text, whole.replace("ModelNew", "New"))
        self.assertIn("_init_weights", whole)
        self.assertIn("import math", parts["imports"])

    def test_a_function_has_no_constructor(self):
        with self.assertRaises(constructor.NoConstructor):
            constructor.parts("def f(x):\n    return x\n", "f", "ModelNew")


if __name__ == "__main__":
    unittest.main()
