"""Problems that cannot be judged: each ends with exit code 2 and one sentence that says where and why."""

from __future__ import annotations

import os
import re
import unittest
from dataclasses import dataclass
from pathlib import Path

import program

HEAD = "import torch\nimport torch.nn as nn\n"
INPUTS = "def get_inputs():\n    return [torch.randn(4, 8)]\n"


def model(body: str, head: str = "") -> str:
    """A problem whose forward has this body; forward begins in line 4 and its body in line 5 when there is no head."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return f"{HEAD}{head}class Model(nn.Module):\n    def forward(self, x):\n{lines}{INPUTS}"


RELU = "return torch.relu(x)"


@dataclass
class Case:
    """A problem file, and what the sentence about it must hold (regular expressions, tried on the whole line)."""

    text: str | bytes
    says: tuple[str, ...]
    line: int | None = None
    name: str = ""
    flags: tuple[str, ...] = ()


CASES = {
    "syntax_error": Case(HEAD + "class Model(nn.Module:\n    pass\n", ("syntax",), line=3),
    "empty_file": Case("", ("no class Model", "get_inputs")),
    "no_model": Case(HEAD + "class Net(nn.Module):\n    pass\n" + INPUTS, ("no class Model", r"\.py:Net")),
    "no_get_inputs": Case(HEAD + "class Model(nn.Module):\n    def forward(self, x):\n        return x\n",
                          ("get_inputs", "list")),
    "get_inputs_raises": Case(model(RELU).replace("return [torch.randn(4, 8)]", "raise ValueError('no data')"),
                              ("get_inputs raises ValueError: no data",), line=7),
    "constructor_raises": Case(HEAD + "class Model(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
                               + INPUTS, ("constructor of Model", "TypeError", "get_init_inputs")),
    "forward_raises": Case(model("return x @ torch.randn(3, 3)"), ("forward raises RuntimeError",), line=5),
    "inputs_not_tensors": Case(model(RELU).replace("[torch.randn(4, 8)]", "['abc']"),
                               ("input 0", "str", "tensors or scalars")),
    "inputs_not_a_list": Case(model(RELU).replace("[torch.randn(4, 8)]", "{'x': torch.randn(4)}"),
                              ("get_inputs returns dict", "list of tensors")),
    "nan_from_reference": Case(model("return torch.log(x - 100)"), ("NaN", "output 0")),
    "nonzero": Case(model("return torch.nonzero(x > 0.5)"), ("shape of an output depends on the values",)),
    "masked_select": Case(model("return x[x > 0]"), ("shape of an output depends on the values",)),
    "needs_cuda_method": Case(model("return torch.relu(x.cuda())"), ("CUDA", "this machine"), line=5),
    "needs_cuda_device": Case(model(RELU).replace("randn(4, 8)", "randn(4, 8, device='cuda')"),
                              ("CUDA", "this machine"), line=7),
    "too_large_for_the_interpreter": Case(model("return x.sum() + torch.empty(2 ** 40).fill_(1).sum()"),
                                          ("too large", "no scaling reaches", "GPU")),
    "too_much_memory_at_once": Case(model(RELU) + "large = torch.empty(2 ** 40).fill_(1)\n", ("memory", "--memory"), line=8),
    "too_much_memory_in_forward": Case(
        model("return x + numpy.ones(2 ** 30)[0]", head="import numpy\n"),
        ("memory", "--memory"), flags=("--memory", "1"), line=6),
    "too_much_memory_in_python": Case(HEAD + "kept = []\nwhile True:\n    kept.append(bytearray(10 ** 7))\n",
                                      ("memory", "--memory"), flags=("--memory", "1"), line=5),
    "hangs_at_import": Case(HEAD + "while True:\n    pass\n", ("did not finish", "--timeout"), flags=("--timeout", "1")),
    "hangs_in_forward": Case(model("while True:\n    pass"), ("did not finish", "--timeout"), flags=("--timeout", "1")),
    "exits_with_text": Case("import os\nprint('first\\nsecond', flush=True)\nos._exit(7)\n",
                            ("ended its own process", "7", "first second")),
    "sys_exit": Case("import sys\nsys.exit(3)\n", ("SystemExit",), line=2),
    "segfault": Case("import ctypes\nctypes.string_at(0)\n", ("signal 11", "SIGSEGV|segmentation")),
    "prints_much_and_raises": Case(
        HEAD + "for _ in range(100):\n    print('x' * 10 ** 6)\nraise ValueError('tired')\n", ("ValueError: tired",), line=5),
    "sys_exit_in_forward": Case(model("raise SystemExit"), ("forward raises SystemExit",), line=5),
    "keyboard_interrupt": Case(model("raise KeyboardInterrupt"), ("forward raises KeyboardInterrupt",), line=5),
    "exits_in_forward": Case(model("os._exit(0)", head="import os\n"), ("ended its own process", "must return")),
    "hangs_in_get_inputs": Case(model(RELU).replace("return [torch.randn(4, 8)]", "while True: pass"),
                                ("did not finish", "--timeout"), flags=("--timeout", "1")),
    "forks_at_import": Case(model(RELU, head="import os\nos.fork()\n"), ("the file forks a process", "its own process"), line=4),
    "forks_in_get_inputs": Case(model(RELU, head="import os\n").replace("return [torch", "os.fork(); return [torch"),
                                ("get_inputs forks a process",), line=8),
    "forks_in_forward": Case(model("os.fork()\n" + RELU, head="import os\n"), ("forward forks a process",), line=6),
    "forks_and_the_copy_hangs": Case(model("if os.fork() == 0:\n    while True: pass\n" + RELU, head="import os\n"),
                                     ("forward forks a process",), line=6),
    "starts_a_pool": Case(model(RELU, head="import multiprocessing\nmultiprocessing.get_context('fork').Process(target=print).start()\n"),
                          ("the file forks a process",), line=4),
    "endless_recursion": Case(model("return self.forward(x)"), ("RecursionError",), line=5),
    "closes_everything": Case(model(RELU, head="import os\nos.closerange(0, 1000)\n"), ("ended its own process",)),
    "clears_modules": Case(model(RELU, head="import sys\nsys.modules.clear()\n"), ("killed by signal|raises|ended",)),
    "patches_json": Case(model(RELU, head="import json\njson.dumps = lambda *a, **k: '{}'\n"), ("no proper answer", "json")),
    "object_that_cannot_be_looked_at": Case(
        model("return Odd()", head="class Odd:\n    @property\n    def __class__(self): raise SystemExit\n"),
        ("an object of the file raises SystemExit",), line=5),
    "nested_too_deeply": Case("x = " + "-" * 100000 + "1\n", ("cannot be parsed", "nested|recursion")),
    "complex_output": Case(model("return torch.fft.fft(x)"), ("output 0", "complex64", "float32")),
    "sparse_output": Case(model("return x.to_sparse()"), ("output 0", "sparse", "dense|strided")),
    "tensor_subclass": Case(model("return x.as_subclass(Mine)", head="class Mine(torch.Tensor): pass\n"),
                            ("output 0", "Mine", "plain")),
    "no_such_name": Case(model(RELU), ("no Net", r"it has Model"), name="Net"),
    "name_without_inputs": Case(HEAD + "def scale(x):\n    return 2 * x\n", ("scale_inputs", "get_inputs"), name="scale"),
    "not_repeatable": Case(model("return x + os.urandom(1)[0]", head="import os\n"), ("output 0 differs between two runs",)),
    "exception_with_odd_text": Case(model("raise ValueError('one\\ntwo \\udc80 \\x1b[31m' + 'x' * 5000)"),
                                    ("forward raises ValueError: one two", r"\A[ -~]*\n\Z"), line=5),
    "constructor_arguments_not_a_list": Case(model(RELU) + "def get_init_inputs():\n    return 3\n",
                                             ("get_init_inputs returns int", "list")),
    "exception_that_cannot_be_read": Case(
        model("raise Odd()", head="class Odd(Exception):\n    def __str__(self): raise SystemExit\n"), ("Odd",), line=7),
}


class BadProblems(unittest.TestCase):
    """The table above; every case is one test."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = program.Folder()
        cls.addClassCleanup(cls.folder.remove)
        kernel = cls.folder.write("kernel.py", program.RELU_KERNEL)
        commands = {}
        for title, case in CASES.items():
            path = cls.folder.write(f"{title}.py", case.text)
            argument = f"{path}:{case.name}" if case.name else str(path)
            commands[title] = lambda a=argument, c=case: program.run(
                "verify", "--problem", a, "--kernel", kernel, "--device", "cpu", *c.flags)
        cls.finished = program.run_all(commands)

    def check(self, title: str) -> None:
        if title.startswith("needs_cuda") and os.path.exists("/dev/nvidiactl"):
            self.skipTest("this machine has a GPU")
        case, done = CASES[title], self.finished[title]
        where = f"{self.folder.path}/{title}.py" + (f":{case.line}" if case.line else "") + ": "
        self.assertEqual(done.code, 2, done.text())
        self.assertEqual(done.out, "", done.text())
        self.assertEqual(len(done.err.splitlines()), 1, done.text())
        self.assertTrue(done.err.endswith("\n"))
        self.assertTrue(done.err.startswith(f"kernelagent: verify: {where}"), done.text())
        self.assertLess(len(done.err), 900)
        for pattern in case.says:
            self.assertTrue(re.search(pattern, done.err.removeprefix(f"kernelagent: verify: {where}")),
                            f"{pattern!r} is not in\n{done.text()}")


def _one_test(title: str):
    return lambda self: self.check(title)


for _title in CASES:
    setattr(BadProblems, f"test_{_title}", _one_test(_title))


class UnreadableFiles(unittest.TestCase):
    """Found before any interpreter is started."""

    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        self.problem = self.folder.write("problem.py", model(RELU))
        self.kernel = self.folder.write("kernel.py", program.RELU_KERNEL)

    def refuse(self, problem: Path | str, kernel: Path | str, *says: str) -> None:
        done = program.run("verify", "--problem", problem, "--kernel", kernel)
        self.assertEqual(done.code, 2, done.text())
        self.assertEqual(done.out, "")
        self.assertEqual(len(done.err.splitlines()), 1, done.text())
        for pattern in says:
            self.assertRegex(done.err, pattern)

    def test_missing_file(self) -> None:
        self.refuse(self.folder.path / "absent.py", self.kernel, r"absent\.py", "no such|does not exist")
        self.refuse(f"{self.folder.path}/absent.py:Net", self.kernel, r"absent\.py", "no such|does not exist")

    def test_missing_kernel(self) -> None:
        self.refuse(self.problem, self.folder.path / "absent.py", r"absent\.py", "no such|does not exist")

    def test_folder(self) -> None:
        self.refuse(self.folder.path, self.kernel, re.escape(str(self.folder.path)), "folder|directory")
        self.refuse(self.problem, self.folder.path, re.escape(str(self.folder.path)), "folder|directory")

    def test_binary_file(self) -> None:
        binary = self.folder.write("binary.py", bytes(range(256)))
        self.refuse(binary, self.kernel, r"binary\.py", "not a text file")

    def test_not_utf8(self) -> None:
        latin = self.folder.write("latin.py", "# caf\xe9\n".encode("latin-1"))
        self.refuse(latin, self.kernel, r"latin\.py", "UTF-8")

    def test_too_large(self) -> None:
        large = self.folder.write("large.py", "#" * (5 << 20))
        self.refuse(large, self.kernel, r"large\.py", "4 MiB|4194304|larger")

    def test_links_and_pipes(self) -> None:
        loop, pipe = self.folder.path / "loop.py", self.folder.path / "pipe.py"
        loop.symlink_to(loop)
        os.mkfifo(pipe)
        self.refuse(loop, self.kernel, r"loop\.py", "symbolic links")
        self.refuse(pipe, self.kernel, r"pipe\.py", "not a regular file")

    def test_device_and_pipe(self) -> None:
        self.refuse("/dev/zero", self.kernel, "/dev/zero")
        self.refuse(self.problem, "/dev/zero", "/dev/zero")


class BadKernelFiles(unittest.TestCase):
    """A kernel file that can be read as text is judged, whatever it says: exit code 1."""

    def test_refused_by_rule(self) -> None:
        folder = program.Folder()
        self.addCleanup(folder.remove)
        problem = folder.write("problem.py", model(RELU))
        texts = {"": "policy.no_kernel", "def f(:": "policy.syntax"}
        commands = {rule: lambda p=folder.write(f"{rule}.py", text): program.run(
            "verify", "--problem", problem, "--kernel", p, "--device", "cpu", "--json")
                    for text, rule in texts.items()}
        for rule, done in program.run_all(commands).items():
            self.assertEqual((done.code, done.err), (1, ""), done.text())
            self.assertEqual(done.json()["rule"], rule)
            self.assertFalse(done.json()["problem"]["scaled"])


if __name__ == "__main__":
    unittest.main()
