"""The source policy: every row of the tables, the facts, the protocol, the speed, and the lists against the installed PyTorch."""

import ast
import builtins
import importlib.util
import os
import pathlib
import socket
import statistics
import sys
import time
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def load_bridge() -> None:
    """Makes python/bridge importable as ka_bridge."""
    if "ka_bridge" in sys.modules:
        return
    folder = HERE.parent.parent / "python" / "bridge"
    spec = importlib.util.spec_from_file_location("ka_bridge", folder / "__init__.py", submodule_search_locations=[str(folder)])
    module = importlib.util.module_from_spec(spec)
    sys.modules["ka_bridge"] = module
    spec.loader.exec_module(module)


load_bridge()

import policy_honest  # noqa: E402
import policy_rows  # noqa: E402
from ka_bridge import policy, policy_lists, policy_rules, unused  # noqa: E402
from ka_bridge.conn import Conn  # noqa: E402

MAX_MS_FOR_300_LINES = 60.0  # about 10 on an idle machine; the limit leaves room for a busy one


def rules_of(source: str, allow_random: bool = False) -> list[str]:
    return [v["rule"] for v in policy.check_source(source, "k.py", allow_random)["violations"]]


class Rows(unittest.TestCase):
    def test_hostile_rows(self) -> None:
        for name, rule, source in policy_rows.ROWS:  # fragments: nothing uses what they define
            with self.subTest(name), mock.patch.object(unused, "trimmed", lambda text, tree, entries: text):
                answer = policy.check_source(source, "k.py", False)
                found = [v["rule"] for v in answer["violations"]]
                self.assertIn(rule, found, answer["violations"])
                self.assertNotIn("", [v["what"] for v in answer["violations"]])
                if rule != "policy.syntax":
                    self.assertNotIn("policy.syntax", found, answer["violations"])

    def test_honest_rows(self) -> None:
        for name, _, source in policy_honest.ROWS:
            with self.subTest(name):
                self.assertEqual(policy.check_source(source, "k.py", False)["violations"], [])

    def test_names_are_unique(self) -> None:
        names = [row[0] for row in [*policy_rows.ROWS, *policy_honest.ROWS]]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 150)

    def test_random_numbers_only_where_allowed(self) -> None:
        source = policy_rows.host("return torch.rand_like(x), x.bernoulli_(0.5)")
        self.assertEqual(sorted(rules_of(source)), ["policy.method", "policy.torch"])
        self.assertEqual(rules_of(source, allow_random=True), [])

    def test_line_and_words(self) -> None:
        source = "import torch\nimport os\n\n\ndef kernel_function(x):\n    return torch.matmul(x, x).__class__, os\n"
        found = [(v["line"], v["rule"], v["what"]) for v in policy.check_source(source, "k.py", False)["violations"]]
        self.assertEqual(found, [(1, "policy.no_kernel", "no function decorated with @triton.jit"),
                                 (2, "policy.import", "import of os"),
                                 (6, "policy.attribute", "attribute __class__"), (6, "policy.name", "os"),
                                 (6, "policy.torch", "torch.matmul")])

    def test_same_answer_every_time(self) -> None:
        source = policy_honest.STYLES + policy_rows.module("import os\nt = torch\nz = t.mm, eval")
        self.assertEqual(policy.check_source(source, "k.py", False), policy.check_source(source, "k.py", False))

    def test_recursion_limit_is_restored(self) -> None:
        before = sys.getrecursionlimit()
        rules_of("x = 1" + " + 1" * 50000)
        self.assertEqual(sys.getrecursionlimit(), before)


class Unused(unittest.TestCase):
    """What nothing uses is taken out; what is executed, or used after all, stays."""

    def trim(self, text: str, entry: str | None = None) -> str:
        return unused.trimmed(text, ast.parse(text), (entry,))

    def test_taken_out(self) -> None:
        for before, after in [
            ("import os, sys, torch\nx = torch.float32", "import torch\nx = torch.float32"),
            ("from torch.nn.functional import (relu,\n    gelu)  # why\nx = gelu", "from torch.nn.functional import gelu\n\nx = gelu"),
            ("import torch\nimport torch.utils.benchmark\nx = torch.nn", "import torch\n\nx = torch.nn"),
            ("def f(x): return os, 'é'", "def f(x): pass"),
            ("def f(x):\n    @g\n    def h(): pass\n    return h  # é", "def f(x):\n    pass\n\n"),
            ("class C(B):\n    a = 1\n    def f(self):\n        return os\n", "class C(B):\n    a = 1\n    def f(self):\n        pass\n"),
            ("def f(): return g()\ndef g(): return f()", "def f(): pass\ndef g(): pass"),
            ("import time\nif __name__ == '__main__':\n    time.sleep(1)", "\nif __name__ == '__main__':\n    time.sleep(1)"),
            ("@triton.testing.perf_report(b)\ndef f():\n    return torch.relu", "@triton.testing.perf_report(b)\ndef f():\n    pass"),
        ]:
            with self.subTest(before):
                self.assertEqual(self.trim(before), after)

    def test_stays(self) -> None:
        for text in [
            "def kernel_function(x):\n    return f(x)\ndef f(x):\n    return x",
            "class ModelNew(B):\n    def forward(self, x):\n        return x",
            "def f():\n    return 1\nx = [lambda: f]",
            "def f():\n    return 1\nx = f'{f()}'",
            "def f():\n    return 1\nclass C:\n    g = f",
            "def f():\n    return 1\ndef g(x=f):\n    pass",
            "def f():\n    return 1\nif __name__ == '__main__':\n    pass\nelse:\n    f()",
            "@register\ndef f():\n    return 1", "@triton.jit\ndef f():\n    return 1",
            "def __getattr__(name):\n    return 1",
            "import helper", "from . import os", "from os import *", "import torch.utils.benchmark\nx = torch.empty",
            "import os\ndef g(x=os.name):\n    pass", "import numpy as np\nclass C:\n    a = np.pi",
            "x = 1; \\\n import os", "import os; x = 1",
        ]:
            with self.subTest(text):
                self.assertEqual(self.trim(text), text)

    def test_named_entry_stays(self) -> None:
        text = "def other(x):\n    return x"
        self.assertEqual(self.trim(text, "other"), text)
        self.assertNotEqual(self.trim(text), text)


class Facts(unittest.TestCase):
    def facts(self, source: str) -> dict:
        return policy.check_source(source, "k.py", False)["facts"]

    def test_function_entry(self) -> None:
        facts = self.facts(policy_honest.STYLES)
        self.assertEqual(facts["kernels"], ["k"])
        self.assertEqual(facts["device_functions"], ["helper"])
        self.assertEqual(facts["entry"], ["kernel_function"])
        self.assertFalse(facts["atomics"])
        self.assertEqual(facts["signature"], {"positional": ["x"], "positional_only": [], "keywords": ["weight", "eps"],
                                              "optional": ["weight", "eps"], "varargs": False, "varkw": True})

    def test_autotune_and_atomics(self) -> None:
        facts = self.facts(policy_honest.AUTOTUNED)
        self.assertEqual((facts["kernels"], facts["autotune"], facts["atomics"]), (["linear"], ["linear"], True))
        self.assertEqual(facts["signature"]["positional"], ["x", "weight"])
        self.assertEqual(facts["signature"]["optional"], ["weight"])

    def test_class_entry(self) -> None:
        facts = self.facts(policy_honest.KERNELBENCH)
        self.assertEqual(facts["entry"], ["ModelNew"])
        self.assertEqual(facts["signature"]["positional"], ["x"])

    def test_named_entry(self) -> None:
        source = policy_rows.module("def other(a, b, /, c=1, *rest):\n    return a")
        facts = policy.check_source(source, "k.py", False, entry="other")["facts"]
        self.assertEqual(facts["entry"], ["other", "kernel_function"])
        self.assertEqual(facts["signature"], {"positional": ["a", "b", "c"], "positional_only": ["a", "b"], "keywords": [],
                                              "optional": ["c"], "varargs": True, "varkw": False})

    def test_alias_entry(self) -> None:
        source = policy_rows.HEAD + policy_rows.KERNEL + "def run(x):\n    k[(1,)](x)\nkernel_function = run\n"
        self.assertEqual(self.facts(source)["signature"]["positional"], ["x"])

    def test_jit_by_call_is_a_kernel(self) -> None:
        facts = self.facts("import triton\nimport triton.language as tl\ndef p(x):\n    tl.atomic_add(x, 1)\n"
                           "q = triton.autotune(configs=[], key=[])(triton.jit(p))\nr = q[(1,)]\n")
        self.assertEqual((facts["kernels"], facts["atomics"]), (["p"], True))


class Protocol(unittest.TestCase):
    def ask(self, request: dict, data: bytes) -> dict:
        fd = os.memfd_create("source")
        os.write(fd, data)
        try:
            return policy.answer(request, [fd])
        finally:
            os.close(fd)

    def test_check_over_a_socket(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        fd = os.memfd_create("source")
        os.write(fd, policy_honest.STYLES.encode())
        client, server = Conn(ours.detach()), Conn(theirs.detach())
        client.send({"cmd": "check", "filename": "k.py", "allow_random": False}, [fd])
        client.send({"cmd": "nonsense"})
        os.close(fd)
        client._sock.shutdown(socket.SHUT_WR)
        policy.main(server)
        first, _ = client.recv()
        second, _ = client.recv()
        client.close()
        server.close()
        self.assertEqual((first["ok"], first["violations"]), (True, []))
        self.assertEqual((second["ok"], second["error"]["kind"]), (False, "protocol"))

    def test_bytes_that_are_no_text(self) -> None:
        answer = self.ask({"cmd": "check"}, b"x = 1\ny = '\xff'\n")
        self.assertEqual(answer["violations"], [{"rule": "policy.syntax", "line": 2, "what": "the source is not UTF-8"}])

    def test_too_long(self) -> None:
        answer = self.ask({"cmd": "check"}, b"#" * (policy.MAX_SOURCE_BYTES + 1))
        self.assertEqual([v["rule"] for v in answer["violations"]], ["policy.syntax"])


class Lists(unittest.TestCase):
    def test_listed_torch_names_exist(self) -> None:
        import torch
        import triton  # noqa: F401

        for path in sorted(policy_lists.TORCH | policy_lists.RANDOM | policy_lists.INITIALISERS):
            value = torch
            for part in path.split(".")[1:]:
                self.assertTrue(hasattr(value, part), path)
                value = getattr(value, part)

    def test_no_listed_name_is_a_module(self) -> None:
        """Only what stands in MODULES is a module: anything else may be passed along as a value."""
        import importlib
        import types

        for path in sorted(policy_rules.EVERYWHERE):
            if ".driver.active." in path:  # needs a GPU
                continue
            parts = ("builtins." + path if path in dir(builtins) else path).split(".")
            value = importlib.import_module(parts[0])
            for index, part in enumerate(parts[1:], 2):
                if not hasattr(value, part) and ".".join(parts[:index]) in policy_lists.MODULES:
                    importlib.import_module(".".join(parts[:index]))
                value = getattr(value, part, None)
            self.assertNotIsInstance(value, types.ModuleType, path)

    def test_value_attributes_do_not_compute(self) -> None:
        """Methods of a tensor that change or reduce values must not slip into the list of harmless attributes."""
        computing = {"sum", "add", "mul", "sort", "max", "min", "mean", "clone", "copy_", "item", "tolist", "numpy", "set_",
                     "apply_", "map_", "storage", "untyped_storage", "register_hook", "grad", "softmax", "cat", "index", "cumsum"}
        import torch

        tensor = {name for name in computing if hasattr(torch.Tensor, name)}
        self.assertEqual(tensor & (policy_lists.VALUE_ATTRIBUTES | policy_lists.LAYER_ATTRIBUTES), set())

    def test_no_hidden_attribute_is_harmless(self) -> None:
        listed = policy_lists.VALUE_ATTRIBUTES | policy_lists.LAYER_ATTRIBUTES | policy_lists.KERNEL_ATTRIBUTES
        self.assertEqual({name for name in listed if name.startswith("_")}, set())
        self.assertEqual(policy_lists.HIDDEN_ATTRIBUTES & listed, set())


class Speed(unittest.TestCase):
    def test_300_lines(self) -> None:
        source = policy_honest.AUTOTUNED
        while source.count("\n") < 300:
            source += policy_honest.AUTOTUNED
        times = []
        for _ in range(9):
            start = time.process_time()
            self.assertEqual(rules_of(source), [])
            times.append((time.process_time() - start) * 1e3)
        print(f"policy: {source.count(chr(10))} lines in {min(times):.1f} ms (median {statistics.median(times):.1f})")
        self.assertLess(min(times), MAX_MS_FOR_300_LINES)


if __name__ == "__main__":
    unittest.main()
