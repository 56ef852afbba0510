"""What a kernel file keeps between calls is written down, and compared between calls that are alike."""

import functools
import itertools
import time
import types
import unittest
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass

import torch

from candidate_harness import bridge

state = bridge("state")
REQUEST = {"config": 0, "poison": "nan", "poison_seed": 1, "order": "forward", "call_seed": 2}
SPECS = [{"dtype": "float32", "shape": [4], "strides": [1]}]


class Box:
    __slots__ = ("inside",)

    def __init__(self, inside):
        self.inside = inside


@dataclass
class Plan:
    steps: list


def closure(inside):
    return lambda: inside


def cached(inside):
    wrapped = functools.lru_cache(maxsize=4)(lambda: inside)
    wrapped()
    return wrapped


def default(inside):
    def function(argument=inside):
        return argument

    return function


class Kept(unittest.TestCase):

    def module(self, **values):
        module = types.ModuleType("kernel_file")
        vars(module).update(values)
        return module

    def after(self, kept, times=1, launches=(), **changes):
        for _ in range(times):
            found = kept.after(REQUEST | changes, SPECS, [], list(launches))
        return found

    PLACES = {
        "list": lambda inside: [inside], "tuple": lambda inside: (inside,), "dict": lambda inside: {"a": inside},
        "deque": lambda inside: deque([inside]), "OrderedDict": lambda inside: OrderedDict(a=inside),
        "defaultdict": lambda inside: defaultdict(closure(inside)), "closure": closure, "default": default,
        "lru_cache": cached, "slots": Box, "dataclass": Plan, "partial": lambda inside: functools.partial(print, inside),
        "bound method": lambda inside: inside.append, "view": lambda inside: {"a": inside}.values(),
        "exception": lambda inside: ValueError(inside), "deep": lambda inside: [{"a": (Box(Plan([inside])),)}],
        "class": lambda inside: type("Own", (), {"__module__": "kernel_file", "inside": inside}),
    }

    def test_a_counter_is_found_wherever_it_is(self):
        for name, place in self.PLACES.items():
            with self.subTest(name):
                counter = [0]
                kept = state.State(self.module(PLACE=place(counter)), None, True)
                self.assertEqual(self.after(kept, 3), [])
                counter[0] += 1
                found = self.after(kept)
                self.assertEqual(len(found), 1, found)
                self.assertIn("int 0 after one call, int 1 after another", found[0])

    def test_an_iterator_is_found_wherever_it_is(self):
        for name, place in self.PLACES.items():
            if name == "bound method":
                continue
            with self.subTest(name):
                found = self.after(state.State(self.module(PLACE=place(itertools.count())), None, True))
                self.assertEqual(len(found), 1, found)
                self.assertIn("is an iterator (count)", found[0])

    def test_the_first_call_may_fill_caches(self):
        cache = {}
        kept = state.State(self.module(CACHE=cache), None, True)
        self.assertEqual(self.after(kept), [])
        cache[(4, torch.float32)] = torch.zeros(3)
        self.assertEqual(self.after(kept, 3), [])
        cache[(5, torch.float32)] = 1
        self.assertIn("CACHE", self.after(kept)[0])

    def test_other_sizes_and_configurations_may_leave_something_else(self):
        cache = {}
        kept = state.State(self.module(CACHE=cache), None, True)
        self.after(kept, 3)
        cache["more"] = 1
        self.assertEqual(self.after(kept, 3, config=1), [])

    def test_kept_memory(self):
        scratch = torch.zeros(8)
        kept = state.State(self.module(SCRATCH=scratch[2:4]), None, True)
        self.assertEqual(self.after(kept), [])
        scratch[7] = 1
        self.assertEqual(self.after(kept, 1, order="reverse"), [])
        self.assertEqual(self.after(kept, 1, call_seed=3), [])
        self.assertIn("memory of SCRATCH", self.after(kept)[0])
        scratch[7] = 0
        self.assertEqual(self.after(kept), [])

    def test_launches(self):
        line = state.launch_line("k", {"x": torch.zeros(3), "n": 5, "at": 1 << 46}, {"num_warps": 4}, (1, 1, 1))
        other = state.launch_line("k", {"x": torch.zeros(3), "n": 6, "at": 1 << 47}, {"num_warps": 4}, (1, 1, 1))
        self.assertEqual(line, state.launch_line("k", {"x": torch.ones(3), "n": 5, "at": 1 << 47}, {"num_warps": 4}, (1, 1, 1)))
        kept = state.State(self.module(), None, True)
        self.assertEqual(self.after(kept, 1, [other]), [])
        self.assertEqual(self.after(kept, 3, [line]), [])
        self.assertIn("launches differ", self.after(kept, 1, [other])[0])

    def test_cost(self):
        values = {f"NAME_{i}": {"a": [1, 2.0, "three"], (4, torch.float32): closure(i)} for i in range(50)}
        kept = state.State(self.module(TABLE=list(range(100_000)), **values), None, True)
        self.after(kept)
        start = time.perf_counter()
        self.after(kept, 10)
        self.assertLess((time.perf_counter() - start) / 10, 0.2)


if __name__ == "__main__":
    unittest.main()
