"""The class Captured (captured.py) as the judge executes it: the same class, put in the place of a file's own, and watched.

A file whose text of the class is another one does not get here: the policy has refused it. In the interpreter nothing can be captured;
the function is called. On a GPU every call is made three times:

    plainly             under all rules of the judge, and what it returns is what is judged
    by the class        the first call of a signature, which captures; from then on, and once more after the first, the replay

Whatever is the class's answer must be the plain call's, bit for bit (close to it where the file uses atomics), and so must be the buffers
that the program updates, which are put back in between. What is launched while a graph is captured must be what the plain call launched, and
PyTorch may do no more there than in a plain call. Before a replay the memory that the graph allocated is filled with poison, so that nothing of
an earlier call is left in it.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ka_bridge.captured import Captured
from ka_bridge.poison import INTEGERS

CLOSE = 1e-3  # of the largest number, where atomics add up in another order
FOUND_LIMIT = 4
GRAPHS_KEPT = 2  # a graph of the judge holds all memory that its launches use
_clone = torch.Tensor.clone
_copy = torch.Tensor.copy_
_no_grad = torch.no_grad


@functools.cache
def class_node() -> ast.ClassDef:
    lines = linecache.getlines(Captured.__init__.__code__.co_filename)
    return next(node for node in ast.parse("".join(lines)).body if isinstance(node, ast.ClassDef))


@functools.cache
def class_text() -> str:
    return ast.dump(class_node())


def is_the_class(node: ast.AST) -> bool:
    """Whether a definition is the class Captured, word for word."""
    return isinstance(node, ast.ClassDef) and node.name == Captured.__name__ and ast.dump(node) == class_text()


def taken_out(tree: ast.Module) -> bool:
    """The file without its own text of the class, every line where it was; whether it had one."""
    for number, node in enumerate(tree.body):
        if is_the_class(node):
            tree.body[number] = ast.copy_location(ast.Pass(), node)
            return True
    return False


class Plain:
    """In the place of Captured where nothing is captured: the function."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self.run = run

    def __call__(self, *inputs: Any, **weights: Any) -> Any:
        return self.run(*inputs, **weights)


class Unfenced:
    """Memory that is allocated while launches are captured: no fence can be laid around it, and nothing be written into it."""

    def __init__(self) -> None:
        self.kept: list[torch.Tensor] = []

    def fresh(self, size: Any, stride: Any, dtype: torch.dtype, device: torch.device, what: str) -> torch.Tensor:
        self.kept.append(torch.empty_strided(size, stride, dtype=dtype, device=device))
        return self.kept[-1]

    def filled(self, source: torch.Tensor, what: str) -> torch.Tensor:
        return source


class Watcher:
    """What of the judge takes part: the guard of the call that is being made, the recorder of launches, the buffers that may change."""

    def __init__(self, recorder: Any, new_guard: Callable[[Any, list[torch.Tensor]], Any], atomics: bool) -> None:
        self.recorder, self.new_guard, self.atomics = recorder, new_guard, atomics
        self.guard: Any = None
        self.updated: list[torch.Tensor] = []
        self.found: list[str] = []  # why the file is refused
        self.captures = self.replays = 0

    def begin(self, guard: Any, updated: list[torch.Tensor]) -> None:
        self.guard, self.updated, self.found = guard, updated, []

    def report(self, sentence: str) -> None:
        if sentence not in self.found and len(self.found) < FOUND_LIMIT:
            self.found.append(sentence)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """The class itself copies and replays: its own text, no foreign code."""
        self.guard.__exit__(None, None, None)
        try:
            yield
        finally:
            self.guard.__enter__()


def judged(watcher: Watcher) -> type:
    """The class that a file gets for its own."""

    class Judged(Captured):

        def __init__(self, run: Callable[..., Any]) -> None:
            self.own = run
            self.mine: list[torch.Tensor] = []  # what the last capture allocated
            self.memory: dict[Any, list[torch.Tensor]] = {}
            super().__init__(self.watched_run)

        def __call__(self, *inputs: Any, **weights: Any) -> Any:
            if watcher.guard is None:  # not in a call that is judged
                return self.own(*inputs, **weights)
            with watcher.paused(), _no_grad():
                before = [_clone(tensor) for tensor in watcher.updated]
            earlier = len(watcher.recorder.sequence)
            result = self.own(*inputs, **weights)
            self.launched = watcher.recorder.sequence[earlier:]
            with watcher.paused(), _no_grad():
                key = self.signature(inputs, weights)
                if key is not None:
                    self.compare(key, inputs, weights, result, before)
            return result

        def compare(self, key: Any, inputs: Any, weights: Any, result: Any, before: list[torch.Tensor]) -> None:
            after = [_clone(tensor) for tensor in watcher.updated]
            ways = ["the first call"] if key not in self.graphs else []
            for way in [*ways, "a replay"]:
                for tensor, old in zip(watcher.updated, before):
                    _copy(tensor, old)
                for tensor in self.memory.get(key, []):
                    poison(tensor)
                answer = self.once(inputs, weights)
                self.memory.setdefault(key, self.mine)
                self.differences(way, answer, result)
                for tensor, wanted in zip(watcher.updated, after):
                    if not same(tensor, wanted, watcher.atomics):
                        watcher.report(f"{way} of captured launches leaves other numbers in a buffer than the plain call")
                    _copy(tensor, wanted)
                if self.graphs.get(key, (None,))[0] is None:
                    return
            watcher.replays += 1
            for old in list(self.graphs)[:-GRAPHS_KEPT]:
                del self.graphs[old]
            self.memory = {kept: self.memory[kept] for kept in self.graphs if kept in self.memory}

        def once(self, inputs: Any, weights: Any) -> Any:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                answer = super().__call__(*inputs, **weights)
            for one in said:
                if "cannot be captured" in str(one.message):
                    watcher.report(str(one.message).splitlines()[0])
            return answer

        def differences(self, way: str, answer: Any, wanted: Any) -> None:
            got, expected = tensors_of(answer), tensors_of(wanted)
            if len(got) != len(expected):
                watcher.report(f"{way} of captured launches returns {len(got)} tensors, the plain call {len(expected)}")
            for number, (one, other) in enumerate(zip(got, expected)):
                if (one.shape, one.dtype) != (other.shape, other.dtype):
                    watcher.report(f"{way} of captured launches returns {one.dtype} {list(one.shape)} as output {number}, the plain call {other.dtype} {list(other.shape)}")
                elif not same(one, other, watcher.atomics):
                    watcher.report(f"{way} of captured launches gives other numbers in output {number} than the plain call")

        def watched_run(self, *inputs: Any, **weights: Any) -> Any:
            """Foreign code again: of a first call, or while a graph is captured."""
            given = [value for value in (*inputs, *weights.values()) if isinstance(value, torch.Tensor)]
            memory = Unfenced()
            guard = watcher.new_guard(memory, given)
            with watcher.recorder.aside() as seen:
                try:
                    with guard:
                        answer = self.own(*inputs, **weights)
                finally:
                    watcher.guard.denied += [entry for entry in guard.denied if entry not in watcher.guard.denied]
            if [line[:2] for line in seen.sequence] != [line[:2] for line in self.launched]:  # a place may have other strides than what is copied to it
                watcher.report("what is launched when launches are captured is not what a plain call launches")
            if torch.cuda.is_current_stream_capturing():
                watcher.captures += 1
                self.mine = memory.kept
            return answer

    Judged.__name__ = Judged.__qualname__ = Captured.__name__
    return Judged


def poison(tensor: torch.Tensor) -> None:
    if tensor.is_floating_point():
        tensor.fill_(float("nan"))
    elif tensor.dtype in INTEGERS:
        tensor.fill_(torch.iinfo(tensor.dtype).max)


def tensors_of(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [tensor for name in sorted(value, key=str) for tensor in tensors_of(value[name])]
    return [tensor for item in value for tensor in tensors_of(item)] if isinstance(value, (list, tuple)) else []


def same(one: torch.Tensor, other: torch.Tensor, atomics: bool) -> bool:
    """The same bits; with atomics nearly the same numbers."""
    if one.is_floating_point() and atomics:
        numbers = other.double()
        limit = CLOSE * float(numbers[numbers.isfinite()].abs().max()) if bool(numbers.isfinite().any()) else 0.0
        return bool(torch.isclose(one.double(), numbers, rtol=CLOSE, atol=limit, equal_nan=True).all())
    return bool(((one == other) | ((one != one) & (other != other))).all())
