"""The class Captured (python/bridge/captured.py) with a fake of CUDA graphs: one that writes down launches while it captures and makes them when it replays."""

from __future__ import annotations

import contextlib
import pathlib
import unittest
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import torch
from candidate_harness import bridge

captured = bridge("captured")
judged = bridge("captured_judged")
autotune = bridge("autotune")
fence = bridge("fence")
guard = bridge("guard")
launches = bridge("launches")
poison = bridge("poison")
policy = bridge("policy")
state = bridge("state")
pretend_gpu = bridge("pretend_gpu")


class FakeGraph:
    """What is launched during a capture is not executed then, and executed by every replay, on the same memory."""

    capturing: FakeGraph | None = None
    made = 0
    refuses = False
    stream = 7

    def __init__(self) -> None:
        self.launches: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self.replays = 0
        FakeGraph.made += 1

    def replay(self) -> None:
        self.replays += 1
        for kernel, arguments in self.launches:
            kernel(*arguments)


@contextlib.contextmanager
def fake_capture(graph: FakeGraph) -> Iterator[None]:
    FakeGraph.capturing = graph
    before, FakeGraph.stream = FakeGraph.stream, 8
    try:
        yield
        if FakeGraph.refuses:
            raise RuntimeError("operation not permitted when stream is capturing")  # and the stream stays the capture's, as PyTorch has it
        FakeGraph.stream = before
    finally:
        FakeGraph.capturing = None


def launch(kernel: Callable[..., None], *arguments: Any) -> None:
    if FakeGraph.capturing is not None:
        FakeGraph.capturing.launches.append((kernel, arguments))
    else:
        kernel(*arguments)


def product_kernel(x: Any, weight: Any, out: Any) -> None:
    out.copy_(x * weight)


def counting_kernel(count: Any) -> None:
    count.add_(1)


def run_kernels(x: Any, factor: float = 1.0, *, weight: Any) -> Any:
    out = torch.empty(x.shape)
    launch(lambda a, w, o: o.copy_(a * w * factor), x, weight, out)
    return out


class Case(unittest.TestCase):
    def setUp(self) -> None:
        FakeGraph.made, FakeGraph.refuses, FakeGraph.stream = 0, False, 7
        for name, value in {"CUDAGraph": FakeGraph, "graph": fake_capture, "current_stream": lambda: mock.Mock(cuda_stream=FakeGraph.stream),
                            "set_stream": lambda stream: setattr(FakeGraph, "stream", stream.cuda_stream),
                            "is_current_stream_capturing": lambda: FakeGraph.capturing is not None}.items():
            patch = mock.patch.object(torch.cuda, name, value, create=True)
            patch.start()
            self.addCleanup(patch.stop)
        pretence = pretend_gpu.Pretence()
        pretence.__enter__()
        self.addCleanup(pretence.__exit__, None, None, None)
        self.addCleanup(pretend_gpu.HOST.clear)

    def given(self, *shape: int) -> Any:
        return torch.rand(shape, device="cuda")


class Replays(Case):
    def test_the_same_as_plain_calls(self) -> None:
        call, weight = captured.Captured(run_kernels), self.given(4)
        for _ in range(3):
            x = self.given(3, 4)
            self.assertTrue(torch.equal(call(x, weight=weight), run_kernels(x, weight=weight)))
        self.assertEqual([graph.replays for graph, _, _ in call.graphs.values()], [2])

    def test_results_are_nobody_elses_memory(self) -> None:
        call, weight, x = captured.Captured(run_kernels), self.given(4), self.given(3, 4)
        results = [call(x, weight=weight) for _ in range(4)]
        self.assertEqual(len({result.data_ptr() for result in results}), 4)
        wanted = results[1].clone()
        call(self.given(3, 4), weight=weight)
        self.assertTrue(torch.equal(results[1], wanted))

    def test_inputs_are_left_alone(self) -> None:
        call, weight, x = captured.Captured(run_kernels), self.given(4), self.given(3, 4)
        before = x.clone()
        call(x, weight=weight)
        call(self.given(3, 4), weight=weight)
        self.assertTrue(torch.equal(x, before))

    def test_weights_changed_in_place_are_seen(self) -> None:
        call, weight, x = captured.Captured(run_kernels), self.given(4), self.given(3, 4)
        call(x, weight=weight)
        weight.mul_(3)
        self.assertTrue(torch.equal(call(x, weight=weight), x * weight))
        self.assertEqual(FakeGraph.made, 1)

    def test_weights_elsewhere_are_captured_anew(self) -> None:
        call, x, one, other = captured.Captured(run_kernels), self.given(3, 4), self.given(4), self.given(4)
        for weight in (one, other, one, other):
            self.assertTrue(torch.equal(call(x, weight=weight), x * weight))
        self.assertEqual(FakeGraph.made, 2)

    def test_another_view_of_the_same_weight(self) -> None:
        call, x, weight = captured.Captured(run_kernels), self.given(4, 4), self.given(4, 4)
        for view in (weight, weight.t(), weight[:1], weight, weight.t()):
            self.assertTrue(torch.equal(call(x, weight=view), x * view))
        self.assertEqual(FakeGraph.made, 3)

    def test_other_inputs_are_captured_anew(self) -> None:
        call, weight = captured.Captured(run_kernels), self.given(4)
        for x in (self.given(3, 4), self.given(5, 4), self.given(4, 4).t(), self.given(3, 8)[:, ::2], self.given(1, 4).expand(3, 4)) * 2:
            self.assertTrue(torch.equal(call(x, weight=weight), x * weight))
        self.assertEqual(FakeGraph.made, 5)

    def test_numbers_belong_to_the_signature(self) -> None:
        call, weight, x = captured.Captured(run_kernels), self.given(4), self.given(3, 4)
        for factor in (1, 1.0, True, 0.0, -0.0, 2.0) * 2:
            self.assertTrue(torch.equal(call(x, factor, weight=weight), x * weight * factor))
        self.assertEqual(FakeGraph.made, 6)

    def test_so_many_graphs_are_kept(self) -> None:
        call, weight = captured.Captured(run_kernels), self.given(4)
        for rows in range(1, 12):
            call(self.given(rows, 4), weight=weight)
        self.assertEqual([len(places[0]) for _, places, _ in call.graphs.values()], list(range(4, 12)))
        self.assertEqual(len(call(self.given(1, 4), weight=weight)), 1)

    def test_inference_mode_and_outside(self) -> None:
        call, weight = captured.Captured(run_kernels), self.given(4)
        for _ in range(2):
            with torch.inference_mode():
                call(self.given(3, 4), weight=weight)
            call(self.given(3, 4), weight=weight)
        self.assertEqual(FakeGraph.made, 2)

    def test_gradients_are_not_followed(self) -> None:
        call, weight, x = captured.Captured(run_kernels), self.given(4), self.given(3, 4).requires_grad_()
        for _ in range(2):
            self.assertFalse(call(x, weight=weight).requires_grad)

    def test_buffers_are_updated_once_per_call(self) -> None:
        def updating(x: Any, *, count: Any) -> Any:
            launch(counting_kernel, count)
            return run_kernels(x, weight=count)

        call, count, x = captured.Captured(updating), torch.zeros(1, device="cuda"), self.given(3, 4)
        for number in range(1, 5):
            self.assertTrue(torch.equal(call(x, count=count), x * number))
            self.assertEqual(count.item(), number)

    def test_packed_results(self) -> None:
        def packed(x: Any, *, weight: Any) -> Any:
            return {"all": (run_kernels(x, weight=weight), [run_kernels(x, weight=weight)], None)}

        call, weight, x = captured.Captured(packed), self.given(4), self.given(3, 4)
        for _ in range(2):
            result = call(x, weight=weight)
            self.assertTrue(torch.equal(result["all"][0], x * weight))
            self.assertTrue(torch.equal(result["all"][1][0], x * weight))
            self.assertIsNone(result["all"][2])

    def test_called_plainly(self) -> None:
        call, weight, x = captured.Captured(lambda *inputs, **weights: "plain"), self.given(4), self.given(3, 4)
        with mock.patch.object(pretend_gpu, "is_host", lambda value: True):
            self.assertEqual(call(x, weight=weight), "plain")
        self.assertEqual(call([x], weight=weight), "plain")
        self.assertEqual(call(x, weight=None), "plain")
        self.assertEqual(call(3.0, weight=weight), "plain")
        FakeGraph.capturing = FakeGraph()
        self.assertEqual(call(x, weight=weight), "plain")
        FakeGraph.capturing = None
        self.assertEqual(call.graphs, {})

    def test_what_cannot_be_captured_is_said_once_and_called(self) -> None:
        FakeGraph.refuses = True
        call, weight, x = captured.Captured(run_kernels), self.given(4), self.given(3, 4)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for _ in range(3):
                self.assertTrue(torch.equal(call(x, weight=weight), x * weight))
        self.assertEqual([str(one.message) for one in said],
                         ["these launches cannot be captured and are made one by one: operation not permitted when stream is capturing"])
        self.assertEqual((FakeGraph.made, FakeGraph.stream), (1, 7))


class FakeGuard:
    """Whether foreign code runs under rules, and what it was refused."""

    def __init__(self) -> None:
        self.denied: list[Any] = []
        self.entered = 0

    def __enter__(self) -> None:
        self.entered += 1

    def __exit__(self, *exc: Any) -> None:
        self.entered -= 1


class Judged(Case):
    def setUp(self) -> None:
        super().setUp()
        self.recorder = launches.Recorder("k.py", autotune.Choice())
        self.guards: list[FakeGuard] = []
        self.watcher = judged.Watcher(self.recorder, self.new_guard, False)
        self.seen: list[tuple[bool, bool]] = []  # of every run: whether under a guard, whether captured
        self.weight, self.drift = self.given(4), 0.0
        self.call = judged.judged(self.watcher)(self.run_kernels)

    def new_guard(self, memory: Any, given: list[Any]) -> FakeGuard:
        self.guards.append(FakeGuard())
        self.memory = memory
        return self.guards[-1]

    def launch(self, kernel: Any, *arguments: Any) -> None:
        self.recorder.sequence.append((kernel.__name__, (1, 1, 1), ()))
        self.recorder.count += 1
        launch(kernel, *arguments)

    def run_kernels(self, x: Any, *, weight: Any) -> Any:
        under_rules = (self.guards[-1] if self.guards and self.guards[-1].entered else self.watcher.guard).entered == 1
        self.seen.append((under_rules, FakeGraph.capturing is not None))
        out = torch.empty(x.shape)
        self.launch(product_kernel, x, weight, out)
        return out

    def judge(self, *inputs: Any, updated: tuple[Any, ...] = (), **weights: Any) -> tuple[Any, list[str]]:
        guard = FakeGuard()
        self.watcher.begin(guard, list(updated))
        with guard:
            result = self.call(*inputs, **weights)
        self.assertEqual(guard.entered, 0)
        return result, self.watcher.found

    def test_an_honest_function(self) -> None:
        for replays in (1, 2, 3):
            x = self.given(3, 4)
            result, found = self.judge(x, weight=self.weight)
            self.assertEqual(found, [])
            self.assertTrue(torch.equal(result, x * self.weight))
            self.assertEqual(self.watcher.replays, replays)
        self.assertEqual(self.seen, [(True, False), (True, False), (True, True), (True, False), (True, False)])
        self.assertEqual(self.recorder.count, 3)  # of plain calls alone

    def test_outside_of_calls_that_are_judged(self) -> None:
        x = self.given(3, 4)
        self.assertTrue(torch.equal(judged.judged(self.watcher)(run_kernels)(x, weight=self.weight), x * self.weight))
        self.assertEqual(FakeGraph.made, 0)

    def test_what_drifts_between_calls(self) -> None:
        def drifting(x: Any, *, weight: Any) -> Any:
            self.drift += 1
            out, factor = torch.empty(x.shape), self.drift
            self.launch(lambda a, o: o.copy_(a * factor), x, out)
            return out

        self.call = judged.judged(self.watcher)(drifting)
        _, found = self.judge(self.given(3, 4), weight=self.weight)
        self.assertEqual(found, ["the first call of captured launches gives other numbers in output 0 than the plain call",
                                 "a replay of captured launches gives other numbers in output 0 than the plain call"])

    def test_what_is_captured_is_something_else(self) -> None:
        def other(x: Any, *, weight: Any) -> Any:
            out = self.run_kernels(x, weight=weight)
            if FakeGraph.capturing is not None:
                self.launch(counting_kernel, out)
            return out

        self.call = judged.judged(self.watcher)(other)
        _, found = self.judge(self.given(3, 4), weight=self.weight)
        self.assertEqual(found, ["what is launched when launches are captured is not what a plain call launches",
                                 "a replay of captured launches gives other numbers in output 0 than the plain call"])

    def test_computed_on_the_way(self) -> None:
        """By PyTorch: a capture with this fake holds launches alone, as what the host computes is computed once."""
        def computing(x: Any, *, weight: Any) -> Any:
            return self.run_kernels(x, weight=weight) if FakeGraph.capturing is None else x * weight

        self.call = judged.judged(self.watcher)(computing)
        self.judge(self.given(3, 4), weight=self.weight)
        _, found = self.judge(self.given(3, 4), weight=self.weight)
        self.assertEqual(found, ["a replay of captured launches gives other numbers in output 0 than the plain call"])

    def test_buffers_are_put_back_in_between(self) -> None:
        def updating(x: Any, *, count: Any) -> Any:
            self.launch(counting_kernel, count)
            return self.run_kernels(x, weight=count)

        self.call = judged.judged(self.watcher)(updating)
        count, x = torch.zeros(1, device="cuda"), self.given(3, 4)
        for number in (1, 2, 3):
            result, found = self.judge(x, updated=(count,), count=count)
            self.assertEqual(found, [])
            self.assertEqual(count.item(), number)
            self.assertTrue(torch.equal(result, x * number))

    def test_memory_of_the_graph_is_poisoned_before_a_replay(self) -> None:
        def half(x: Any, *, weight: Any) -> Any:
            out = self.memory.fresh(x.shape, x.stride(), x.dtype, x.device, "") if FakeGraph.capturing is not None else torch.zeros(x.shape)
            self.launch(lambda a, o: o[1:].copy_(a[1:]), x, out)
            return out

        self.call = judged.judged(self.watcher)(half)
        _, found = self.judge(self.given(3, 4), weight=self.weight)
        self.assertEqual(found[-1], "a replay of captured launches gives other numbers in output 0 than the plain call")

    def test_what_cannot_be_captured(self) -> None:
        FakeGraph.refuses = True
        result, found = self.judge(self.given(3, 4), weight=self.weight)
        self.assertEqual(found, ["these launches cannot be captured and are made one by one: operation not permitted when stream is capturing"])
        self.assertEqual(result.shape, (3, 4))

    def test_under_the_judges_own_guard(self) -> None:
        """Its rules hold for the file's code, plain and captured, and not for what the class itself does."""
        def guarded(memory: Any, given: list[Any]) -> Any:
            return guard.Guard(memory, given, False, lambda: None, pretend_gpu.translate)

        def silently(kernel: Any) -> Any:
            def quiet(*arguments: Any) -> None:
                with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
                    kernel(*arguments)
            quiet.__name__ = kernel.__name__
            return quiet

        def run(x: Any, *, weight: Any, count: Any) -> Any:
            x = x.contiguous()
            out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
            self.launch(silently(counting_kernel), count)
            self.launch(silently(product_kernel), x, weight, out)
            return out + 1 if self.drift else out

        self.watcher = judged.Watcher(self.recorder, guarded, False)
        call, count = judged.judged(self.watcher)(run), torch.zeros(1, device="cuda")
        for number, x in enumerate((self.given(3, 4), self.given(4, 3).t(), self.given(3, 4)), 1):
            fenced = fence.Fence(poison.Poison("nan"))
            rules = guard.Guard(fenced, [x, self.weight, count], False, lambda: None, pretend_gpu.translate)
            self.watcher.begin(rules, [count])
            with rules:
                result = call(x, weight=self.weight, count=count)
            self.assertEqual((self.watcher.found, rules.denied, self.watcher.replays), ([], [], number))
            self.assertTrue(torch.equal(result, x * self.weight))
            self.assertEqual(count.item(), number)
            self.assertIn(result.data_ptr(), rules.made)
        self.drift = 1.0
        with self.assertRaises(guard.Denied), rules:
            call(x, weight=self.weight, count=count)

    def test_atomics_may_differ_in_the_last_bits(self) -> None:
        one, other = torch.tensor([1.0, 2.0, float("nan")]), torch.tensor([1.0, 2.0 + 1e-6, float("nan")])
        self.assertTrue(judged.same(one, other, True))
        self.assertFalse(judged.same(one, other, False))
        self.assertTrue(judged.same(one, one.clone(), False))
        self.assertFalse(judged.same(torch.tensor([1.0]), torch.tensor([1.1]), True))

    def test_state_looks_past_it(self) -> None:
        walk = state.Walk("kernel_file")
        walk.value("captured_launches", judged.judged(self.watcher)(run_kernels))
        walk.value("plain", judged.Plain(run_kernels))
        self.assertEqual(walk.lines, [("default argument 0 of captured_launches", "float 1.0"), ("plain", "the same as number 1")])


FILE = """import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


{}

def run_kernels(x):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    copy_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


captured_launches = Captured(run_kernels)


def kernel_function(x):
    return captured_launches(x)
"""


class Policy(unittest.TestCase):
    def setUp(self) -> None:
        text = (pathlib.Path(captured.__file__)).read_text()
        self.text = text[text.index("class Captured:"):]

    def refused(self, text: str) -> list[tuple[str, str]]:
        return [(v["rule"], v["what"]) for v in policy.check_source(text, "k.py", True)["violations"]]

    def test_word_for_word(self) -> None:
        answer = policy.check_source(FILE.format(self.text), "k.py", False)
        self.assertEqual((answer["violations"], answer["facts"]["captures"], answer["facts"]["entry"]), ([], True, ["kernel_function"]))
        with_comments = FILE.format(self.text.replace("    def fill", "    # copies\n    def fill"))
        self.assertEqual(self.refused(with_comments), [])

    def test_every_line_counts(self) -> None:
        lines = self.text.splitlines(keepends=True)
        for number, line in enumerate(lines):
            if line.strip():
                with self.subTest(line):
                    self.assertTrue(self.refused(FILE.format("".join([*lines[:number], *lines[number + 1:]]))))

    def test_other_words_are_refused_in_a_sentence(self) -> None:
        self.assertEqual(self.refused(FILE.format(self.text.replace("> 8", "> 9")))[0],
                         ("policy.class", "class Captured in other words than those that the judge knows (kernelagent writes it with --forms graphs)"))

    def test_a_second_use_and_a_second_class(self) -> None:
        good = FILE.format(self.text)
        for more in ("captured_launches = Captured(run_kernels)\n", "other = Captured(run_kernels)\n", self.text, "kept = captured_launches\n", "del captured_launches\n", "import math as Captured\n",
                     "def run_kernels(x):\n    return x\n", "def f(Captured):\n    return Captured\nuse = f\n", "class Captured:\n    pass\n", "seen = [1]\n", "run_kernels, y = kernel_function, 1\n"):
            with self.subTest(more):
                self.assertIn("policy.class", [rule for rule, _ in self.refused(good + "\n\n" + more)])

    def test_what_the_class_uses_is_what_python_and_pytorch_have(self) -> None:
        """The judge's own class would not see that copies are left out, or that numbers look alike."""
        good = FILE.format(self.text)
        for more in ("def zip(places, inputs):\n    return ()\n", "@triton.jit\ndef map(x):\n    return x\n", "import math as isinstance\n", "from math import prod as all\n", "class tuple:\n    pass\n",
                     "len: tl.constexpr = tl.constexpr(3)\n", "any, y = 1, 2\n", "repr = str\n", "import triton as torch\n", "class C:\n    x = (zip := 3)\n", "import list.type\n",
                     "def f(x=[zip := 3]):\n    return x\n"):
            for text in (good + "\n\n" + more, more + "\n\n" + good):
                with self.subTest(more):
                    self.assertIn("policy.class", [rule for rule, _ in self.refused(text)])
        for name in ("zip", "torch"):
            with self.subTest(name):
                self.assertIn(("policy.class", f"another {name}, which class Captured uses"), self.refused(good.replace("captured_launches", name)))
        for more in ("def f(zip, x):\n    len = zip + x\n    return len\n", "filter = 3\n", "import torch\n"):
            with self.subTest(more):
                self.assertEqual(self.refused(good + "\n\n" + more), [])

    def test_the_judge_finds_the_class_that_the_policy_finds(self) -> None:
        loader = bridge("module_loader")
        for line in ("class  Captured :", "class Captured: # capture", "class Captured():"):
            with self.subTest(line):
                text = FILE.format(self.text).replace("class Captured:", line)
                if self.refused(text):
                    continue
                path = loader.write_text(text.encode(), "k.py", "kernel_function")
                self.assertIsInstance(loader.import_source(path, judged.Plain).captured_launches, judged.Plain)

    def test_what_a_capture_cannot_hold(self) -> None:
        for line in ("y = torch.rand(3)", "y = torch.tensor([1.0], device=x.device)", "y = x.item()", "torch.cuda.synchronize()", "torch.native_dropout(out, 0.5, True)"):
            with self.subTest(line):
                found = self.refused(FILE.format(self.text).replace("    return out\n", f"    {line}\n    return out\n"))
                self.assertTrue(any(what.endswith("a capture cannot hold that") for _, what in found), found)


if __name__ == "__main__":
    unittest.main()
