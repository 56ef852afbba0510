"""Composing the texts of parts: names by scope, equal definitions, everything that is refused.

Renaming is checked a second way over all kernel files of the test folders, one by one and all in one file: Python's own compiler must make the
same code of the new text as of the old one, but for the new names.
"""

from __future__ import annotations

import ast
import dis
import pathlib
import re
import types
import unittest

from test_policy import load_bridge

load_bridge()

from ka_bridge import compose, compose_merge, compose_part, compose_scope  # noqa: E402

TEST = pathlib.Path(__file__).resolve().parents[1]
HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
KERNEL = "@triton.jit\ndef copy_kernel(x, y):\n    tl.store(y, tl.load(x))\n"
ENTRY = "def kernel_function(x):\n    y = torch.empty_like(x)\n    copy_kernel[(1,)](x, y)\n    return y\n"
FILE = HEAD + KERNEL + ENTRY
GLOBALS = {"LOAD_FROM_DICT_OR_GLOBALS", "LOAD_GLOBAL", "LOAD_NAME", "STORE_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"}


def merged(*texts: str, local: tuple[str, ...] = (), ids: tuple[str, ...] = ("one", "two", "three")) -> compose_merge.Merge:
    return compose_merge.Merge([compose_part.Part(i, name, text) for i, (name, text) in enumerate(zip(ids, texts))], local)


def second(body: str, *, clash: str = "def aid(v):\n    return v\n") -> str:
    """What becomes of a part in which `aid`, 'T' and `copy_kernel` have other meanings than in the first one."""
    first = HEAD + "T = 1\n" + clash + KERNEL + ENTRY.replace("y = ", "aid(T)\n    y = ")
    both = merged(first, HEAD + "T = 2\n" + KERNEL.replace("x, y", "y, x") + body)
    text = both.definitions()
    ast.parse(text)
    return text


def sentence(text: str, torch: bool = False, **more: object) -> str:
    request = {"parts": [{"id": "odd", "text": text, "torch": torch}], "calls": [], "returns": "x", "local": [], **more}
    answer = compose.answer({"cmd": "merge", **request})
    assert answer["ok"], answer
    return answer.get("refused", "composed")


class Renaming(unittest.TestCase):
    def check(self, body: str, *expected: str) -> None:
        text = second(body)
        for line in expected:
            self.assertIn(line, text)

    def entry(self, *lines: str) -> str:
        body = "".join(f"    {line}\n" for line in lines)
        return f"def aid(v, w=0):\n    return v + T\ndef kernel_function(x):\n    copy_kernel[(1,)](x, aid(x))\n{body}    return x\n"

    def test_shadowing(self) -> None:
        self.check(self.entry("T = 5", "x = T + aid(T)"), "    T = 5\n    x = T + aid_1(T)\n", "def aid_1(v, w=0):\n    return v + T_1\n", "T_1 = 2\n")
        self.check(self.entry("for aid in range(3):", "    x = aid").replace("x, aid(x)", "x, x"), "for aid in range(3):\n        x = aid\n")

    def test_closures(self) -> None:
        self.check(self.entry("def inner():", "    def T():", "        return aid", "    return T, aid"), "        def T():\n            return aid_1\n        return T, aid_1\n")
        self.check(self.entry("T = 1", "def inner():", "    nonlocal T", "    T = aid(T)"), "        nonlocal T\n        T = aid_1(T)\n")

    def test_default_arguments(self) -> None:
        self.check(self.entry("f = lambda T=T, *, aid=aid: T + aid(T)"), "f = lambda T=T_1, *, aid=aid_1: T + aid(T)\n")
        self.check(self.entry("def inner(T: int = T) -> aid:", "    return T"), "def inner(T: int = T_1) -> aid_1:\n        return T\n")

    def test_decorators_with_arguments(self) -> None:
        text = second("CONFIGS = [triton.Config({'T': T}) for T in (T, T * 2)]\n\n@triton.autotune(configs=CONFIGS, key=['T'])\n@triton.heuristics({'E': lambda a: a['T'] % T == 0})\n"
                      "@triton.jit\ndef aid(x, T: tl.constexpr, E: tl.constexpr):\n    tl.store(x, T)\n\n"
                      "def kernel_function(x):\n    aid[lambda T: (T['T'], copy_kernel)](x)\n")
        for line in ("CONFIGS = [triton.Config({'T': T}) for T in (T_1, T_1 * 2)]", "lambda a: a['T'] % T_1 == 0", "@triton.autotune(configs=CONFIGS, key=['T'])",
                     "def aid_1(x, T: tl.constexpr,", "    tl.store(x, T)\n", "aid_1[lambda T: (T['T'], copy_kernel_1)](x)"):
            self.assertIn(line, text)

    def test_keywords_and_attributes(self) -> None:
        self.check(self.entry("x = dict(T=T, aid=x.aid)", "x.T = f'{T} T {aid(T):T>{T}}'"), "x = dict(T=T_1, aid=x.aid)\n    x.T = f'{T_1} T {aid_1(T_1):T>{T_1}}'\n")

    def test_comprehensions(self) -> None:
        self.check(self.entry("x = [T for T in range(T) if aid(T)]", "x = {aid: T for aid in (aid, T) for y in (aid, T)}", "x = [(x := T) for T in x]"),
                   "x = [T for T in range(T_1) if aid_1(T)]\n    x = {aid: T_1 for aid in (aid_1, T_1) for y in (aid, T_1)}\n    x = [(x := T) for T in x]\n")

    def test_walrus_in_comprehensions(self) -> None:
        self.check(self.entry("x = [[(T := y) for y in x] for x in x]", "return T, aid"), "x = [[(T := y) for y in x] for x in x]\n    return T, aid_1\n")

    def test_classes(self) -> None:
        body = "class aid:\n    T: int = 3\n    size = len('T')\n    def get(self):\n        return self.T + T, aid\n"
        self.assertIn("class aid_1:\n    T: int = 3\n    size = len('T')\n    def get(self):\n        return self.T + T_1, aid_1\n",
                      second(body + "def kernel_function(x):\n    copy_kernel[(1,)](x, aid().get())\n"))

    def test_other_bindings(self) -> None:
        self.check(self.entry("try:", "    import T.aid", "except ValueError as aid_2:", "    x = T, aid_2", "with x as (T, *y):", "    x = T"), "    import T.aid\n", "        x = T, aid_2\n")
        self.check(self.entry("match x:", "    case [T, *y] | {'a': T, **y}:", "        return T, aid"), "case [T, *y] | {'a': T, **y}:\n            return T, aid_1\n")
        self.check(self.entry("match x:", "    case {'a': y, **T}:", "        return T, y"), "case {'a': y, **T}:\n            return T, y\n")

    def test_constexpr_globals(self) -> None:
        first = FILE.replace("@triton", "B = tl.constexpr(4)\n@triton").replace("tl.load(x)", "tl.load(x + B)")
        other = first.replace("constexpr(4)", "constexpr(8)")
        same = merged(first, first).definitions()
        self.assertEqual(same.count("tl.constexpr(4)"), 1)
        text = merged(first, other).definitions()
        self.assertIn("B_1 = tl.constexpr(8)", text)
        self.assertIn("def copy_kernel_1(x, y):\n    tl.store(y, tl.load(x + B_1))\n", text)

    def test_new_names_hide_nothing(self) -> None:
        text = second(self.entry("aid_1 = 3", "T_1 = aid(T)", "return aid_1, T_1"))
        self.assertIn("aid_1 = 3\n    T_1 = aid_2(T_2)\n    return aid_1, T_1\n", text)

    def test_a_shared_name_hides_nothing(self) -> None:
        one = HEAD + "def add(v):\n    return v\n" + KERNEL + ENTRY.replace("return y", "return add(y)")
        two = HEAD + "def plus(v):\n    return v\n" + KERNEL + ENTRY.replace("return y", "add = 1\n    return plus(y), add")
        text = merged(one, two).definitions()
        self.assertEqual(text.count("    return v\n"), 1)
        self.assertIn("    return add_1(y)\n", text)
        self.assertIn("    add = 1\n    return add_1(y), add\n", text)

    def test_builtins_of_others_are_not_hidden(self) -> None:
        one = FILE.replace("return y", "return max(y)").replace("@triton", "def max(v):\n    return v\n@triton")
        text = merged(one, FILE.replace("return y", "return max(y, 0)")).definitions()
        self.assertIn("def max_1(v):", text)
        self.assertIn("return max_1(y)", text)
        self.assertIn("return max(y, 0)", text)

    def test_several_statements_on_a_line(self) -> None:
        text = second("T1 = T; aid = T\nU, V = T, 1  # two\ndef kernel_function(x): copy_kernel[(1,)](aid, T1, U, V); return x\n")
        for line in ("T1 = T_1\n", "aid_1 = T_1\n", "U, V = T_1, 1  # two\n", "def two(x): copy_kernel_1[(1,)](aid_1, T1, U, V); return x\n"):
            self.assertIn(line, text)

    def test_texts_and_comments_stay(self) -> None:
        self.check("# why aid\ndef aid(v):\n    '''T é aid'''\n    return 'é', T  # T\n" + self.entry().split("\n", 2)[2], "# why aid\ndef aid_1(v):\n    '''T é aid'''\n    return 'é', T_1  # T\n")
        self.assertNotIn("# not above", second("U = '''\n# not above'''\n" + self.entry()))


class Sharing(unittest.TestCase):
    def test_equal_parts_are_one_function(self) -> None:
        both = merged(FILE, FILE.replace("import triton\n", "import triton  # again\n"))
        self.assertEqual(both.functions(), {"one": "one", "two": "one"})
        self.assertEqual(both.kernels(), ["copy_kernel"])

    def test_what_differs_below_is_not_shared(self) -> None:
        helpers = "def low():\n    return 1\ndef high():\n    return low()\n"
        one = FILE.replace("@triton", helpers + "@triton").replace("return y", "return high()")
        text = merged(one, one.replace("return 1", "return 2")).definitions()
        self.assertIn("def high_1():\n    return low_1()\n", text)

    def test_helpers_that_call_one_another(self) -> None:
        helpers = "def odd(n):\n    return n and even(n - 1)\ndef even(n):\n    return not n or odd(n - 1)\n"
        one = FILE.replace("@triton", helpers + "@triton").replace("return y", "return odd(3)")
        self.assertEqual(merged(one, one).definitions().count("def "), 4)
        text = merged(one, one.replace("not n", "n == 0")).definitions()
        self.assertIn("def odd_1(n):\n    return n and even_1(n - 1)\n", text)

    def test_what_keeps_something_is_not_shared(self) -> None:
        for kept in ("kept = {}\n", "def kept(x, seen=[]):\n    return seen\n", "@functools.cache\ndef kept(x):\n    return x\n", "class kept:\n    pass\n", "kept = torch.empty(4)\n"):
            with self.subTest(kept):
                one = "import functools\n" + FILE.replace("@triton", kept + "@triton", 1).replace("return y", "return kept")
                self.assertIn("return kept_1\n", merged(one, one).definitions())

    def test_only_what_is_needed(self) -> None:
        one = "import numpy as np\nimport torch.nn.functional as F\nimport torch.utils.benchmark\n" + FILE + "OTHER = np.zeros(3)\ndef reference(x):\n    return F.relu(x)\n"
        both = merged(one, "from __future__ import annotations\nfrom typing import Optional, Tuple\n" + FILE.replace("(x):", "(x: Optional[int]) -> Tuple:"))
        self.assertEqual(both.imports(), "from __future__ import annotations\nimport torch\nimport triton\nimport triton.language as tl\nfrom typing import Optional, Tuple\n")
        self.assertNotIn("reference", both.definitions())

    def test_imports_of_one_name(self) -> None:
        one = "from triton.language.extra import libdevice\n" + FILE.replace("tl.load(x)", "libdevice.exp(x)")
        two = "import triton.language.extra.cuda.libdevice as libdevice\n" + FILE.replace("tl.load(x)", "libdevice.exp(x)")
        both = merged(one, two)
        self.assertIn("from triton.language.extra import libdevice\n", both.imports())
        self.assertIn("import triton.language.extra.cuda.libdevice as libdevice_1\n", both.imports())
        self.assertIn("libdevice_1.exp(x)", both.definitions())

    def test_functions_are_named_after_parts(self) -> None:
        self.assertEqual(merged(FILE, local=("one",)).functions(), {"one": "one_part"})
        self.assertEqual(merged(FILE, ids=("sum",)).functions(), {"sum": "sum_part"})
        self.assertEqual(merged(FILE, ids=("copy_kernel",)).kernels(), ["copy_kernel_1"])


REFUSED = {
    "syntax": ("x = (\n", "line 1: '(' was never closed"),
    "zero": ("x = 1\0\n", "line 1: control character U+0000 in the source"),
    "return": ("return 1\n" + FILE, "line 1: 'return' outside function"),
    "star": ("from math import *\n" + FILE, "line 1: a star import"),
    "relative": ("from . import x\n" + FILE, "line 1: a relative import"),
    "call": (FILE + "print('hi')\n", "line 11: a statement that acts when the file is imported (expression)"),
    "if": (FILE + "if True:\n    T = 1\n", "line 11: a statement that acts when the file is imported (if)"),
    "try": ("try:\n    import x\nexcept ImportError:\n    x = None\n" + FILE, "line 1: a statement that acts when the file is imported (try)"),
    "assert": (FILE + "assert torch\n", "line 11: a statement that acts when the file is imported (assert)"),
    "delete": (FILE + "del torch\n", "line 11: a statement that acts when the file is imported (delete)"),
    "grows": ("T = 1\nT += 1\n" + FILE, "line 2: a statement that acts when the file is imported (aug assign)"),
    "main": (FILE + "if __name__ == '__main__':\n    pass\nelse:\n    T = 1\n", "line 11: a statement that acts when the file is imported (if)"),
    "main in the middle": ("if __name__ == '__main__':\n    pass\n" + FILE, "line 1: a statement that acts when the file is imported (if)"),
    "attribute": (HEAD + "torch.x = 1\n" + KERNEL + ENTRY, "line 4: an assignment to something that is no name, when the file is imported"),
    "item": (HEAD + "torch[0] = 1\n" + KERNEL + ENTRY, "line 4: an assignment to something that is no name, when the file is imported"),
    "walrus": (FILE.replace("@triton", "T = (U := 3)\n@triton").replace("return y", "return T"), "line 4: U is bound inside an expression"),
    "walrus in default": (FILE.replace("(x):", "(x, y=(U := 3)):"), "line 7: U is bound inside an expression"),
    "global": (FILE.replace("    y =", "    global T\n    y ="), "line 8: `global T`: what a part keeps between calls is not composed"),
    "getattr": (FILE.replace("return y", "return getattr(y, 'T')"), "line 10: getattr finds names while the file runs"),
    "globals": (FILE.replace("return y", "return globals()['torch']"), "line 10: globals finds names while the file runs"),
    "builtins": (FILE.replace("return y", "return __builtins__"), "line 10: __builtins__ finds names while the file runs"),
    "doc": (FILE.replace("return y", "return __doc__"), "line 10: __doc__ finds names while the file runs"),
    "sys": ("import sys\n" + FILE.replace("return y", "return sys.modules"), "line 1: the module sys finds names while the file runs"),
    "importlib": ("from importlib import util\n" + FILE.replace("return y", "return util"), "line 1: the module importlib.util finds names while the file runs"),
    "undefined": (FILE.replace("return y", "return z"), "line 10: the name z is not defined"),
    "dunder": ("__name__ = '__main__'\n" + FILE, "line 1: the name __name__ is bound"),
    "dunder inside": (FILE.replace("    y =", "    __name__ = 1\n    y ="), "line 7: the name __name__ is bound"),
    "private": (FILE.replace("    y =", "    __y = 1\n    y ="), "line 7: the name __y is bound"),
    "twice": ("T = 1\nT = 2\n" + FILE, "line 2: T is bound a second time, after line 1"),
    "import twice": ("import math as T\nimport cmath as T\n" + FILE.replace("return y", "return T"), "line 2: T is bound a second time, after line 1"),
    "kernel twice": (HEAD + KERNEL + KERNEL + ENTRY, "line 8: copy_kernel is bound a second time, after line 5"),
    "class body": (FILE.replace("@triton", "T = 1\nclass C:\n    T = T\n@triton").replace("return y", "return C"), "line 6: T means the class's or the file's, depending on the moment"),
    "future": ("from __future__ import generator_stop\n" + FILE, "line 1: `from __future__ import generator_stop`"),
    "no entry": (HEAD + KERNEL, "line 1: there is no function kernel_function"),
    "entry is a value": (HEAD + KERNEL + "kernel_function = copy_kernel\n", "line 1: there is no function kernel_function"),
    "deep": ("x = " + "-" * 100000 + "1\n" + FILE, "nested too deeply"),
}


class Refusing(unittest.TestCase):
    def test_sentences(self) -> None:
        for name, (text, expected) in REFUSED.items():
            with self.subTest(name):
                said = sentence(text)
                self.assertTrue(said.startswith('part "odd"'), said)
                self.assertTrue(said.endswith(expected), said)

    def test_deep_texts(self) -> None:
        for depth in range(100, 3000, 300):
            with self.subTest(depth):
                for text in ("1" + " + 1" * depth, "x" + ".y" * depth, "x" + "[0]" * depth, "f(" * (depth // 40) + ")" * (depth // 40)):
                    said = sentence(FILE.replace("return y", f"f = 1\n    return {text}"))
                    self.assertTrue(said == "composed" or said.endswith("nested too deeply") or said.endswith("too many nested parentheses"), said)

    def test_without_a_kernel(self) -> None:
        text = "def kernel_function(x):\n    return x\n"
        self.assertEqual(sentence(text), 'part "odd" launches no Triton kernel')
        self.assertEqual(sentence(text, torch=True), "composed")
        self.assertEqual(sentence(HEAD + KERNEL + text), 'part "odd" launches no Triton kernel')

    def test_calls(self) -> None:
        text = FILE.replace("(x):", "(x, scale=1, /, z=0, *, weight, bias=None):")
        rows = [(1, ["weight"], "composed"), (3, ["weight", "bias"], "composed"), (2, ["z", "weight"], "composed"),
                (1, [], "its kernel_function needs weight, which is not given"), (0, ["weight"], "its kernel_function needs x, which is not given"),
                (4, ["weight"], "its kernel_function takes 3 inputs, not 4"), (3, ["weight", "z"], "its kernel_function takes no weight z"),
                (1, ["weight", "other"], "composed")]
        for inputs, weights, expected in rows:
            with self.subTest(f"{inputs} {weights}"):
                self.assertTrue(sentence(text, calls=[{"part": "odd", "inputs": inputs, "weights": weights}]).endswith(expected))

    def test_what_is_returned(self) -> None:
        for text, expected in {"(a, [b, {'y': a, 2: None}],)": ["a", "b"], "x": ["x"]}.items():
            self.assertEqual(compose.returned_names(text), expected)
        for text in ("f(x)", "x.y", "x; y", "", "lambda: x", "(yield)", "x if y else z", "[x for x in y]", "(x :=\ny)", "(" * 10000):
            with self.subTest(text[:20]), self.assertRaises(compose.Declined):
                compose.returned_names(text)


class Corpus(unittest.TestCase):
    def read(self) -> list[compose_part.Part]:
        parts: list[compose_part.Part] = []
        for path in sorted([*(TEST / "golden").glob("*.py"), *(TEST / "honest").glob("*.py")]):
            try:
                parts.append(compose_part.Part(len(parts), path.stem, path.read_text()))
            except compose_scope.Refused:  # kernels with state, models
                continue
        self.assertGreater(len(parts), 150)
        return parts

    def compare(self, both: compose_merge.Merge, part: compose_part.Part) -> None:
        """The compiler must see in the new text what it sees in the old one, with the new names."""
        new = {name: both.names[(both.keys[item], item.names.index(name))] for name, item in part.bindings.items() if item in both.keys}
        for item in part.items:
            if item.kind != "import":
                key = both.keys[item]
                before, after = instructions(code_of(ast.unparse(item.node)), new), instructions(code_of(both.text_of(key, both.first[key])), {})
                with self.subTest(f"{part.name}: {item.names}"):
                    self.assertEqual(before, after)

    def test_every_name_is_another(self) -> None:
        for part in self.read():
            part.number = 0
            for item in part.items:
                item.part = 0
            both = compose_merge.Merge([part], ())
            both.names = {slot: f"{name}_99" for slot, name in both.names.items()}
            self.compare(both, part)

    def test_all_parts_in_one_file(self) -> None:
        parts = self.read()
        both = compose_merge.Merge(parts, ())
        text = both.imports() + both.definitions()
        defined = [node.name for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        self.assertEqual(len(defined), len(set(defined)))
        self.assertEqual(len(defined), len([item for item in both.first.values() if item.kind in ("function", "class")]))
        for part in parts:
            self.compare(both, part)


def code_of(text: str) -> types.CodeType:
    return compile(text, "part.py", "exec", dont_inherit=True)


def instructions(code: types.CodeType, new: dict[str, str]) -> list[object]:
    """With other names for globals. A class and its methods know their names as texts, too."""
    found: list[object] = []
    for one in dis.get_instructions(code):
        value = one.argval
        if isinstance(value, types.CodeType):
            value = instructions(value, new)
        elif one.opname in GLOBALS:
            value = new.get(value, value)
        elif one.opname == "LOAD_CONST" and isinstance(value, str):
            value = re.sub(r"_\d+(?=\.|$)", "", value)
        found.append((one.opname, value))
    return found


if __name__ == "__main__":
    unittest.main()
